import type { FastifyReply } from "fastify";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import {
  type Drawn,
  findPublicToDraw,
  findToDraw,
  getCertificate,
  getPublicCertificate,
  listCertificates,
  revokeCertificate,
} from "./certificates.ts";
import {
  Certificate,
  CertificateParams as params,
  CertificatesQuery,
  PublicCertificate,
  PublicParams,
} from "./v2-schema.ts";

const tags = ["Certificates"];
const certificate = answers(200, ref(Certificate));
const binary: { readonly schema: object } = { schema: { type: "string", format: "binary" } };
const pdf = { 200: { description: "A document of one page.", content: { "application/pdf": binary } } };
const png = { 200: { description: "A picture.", content: { "image/png": binary } } };

/** /api/v2/certificates, and how anybody verifies one. */
export function registerCertificates(app: App): void {
  app.get(
    "/api/v2/certificates",
    {
      config: { access: "authenticated" },
      schema: {
        tags,
        summary: "List certificates",
        description: "One's own, and with assignments.read those of the people whom that reaches.",
        querystring: CertificatesQuery,
        response: answers(200, listOf(ref(Certificate))),
      },
    },
    (request) => request.read((tx) => listCertificates(tx, request.query)),
  );
  app.get(
    "/api/v2/certificates/:certificate_id",
    {
      config: { access: "authenticated" },
      schema: { tags, summary: "Show a certificate", params, response: certificate },
    },
    (request) => request.read((tx) => getCertificate(tx, request.params.certificate_id)),
  );
  app.post(
    "/api/v2/certificates/:certificate_id/revoke",
    {
      config: { access: "assignments.write" },
      schema: { tags, summary: "Revoke a certificate", params, response: certificate },
    },
    (request) => request.write((tx) => revokeCertificate(tx, request.params.certificate_id)),
  );
  app.get(
    "/api/v2/certificates/:certificate_id/pdf",
    {
      config: { access: "authenticated", answersOther: true },
      schema: { tags, summary: "Draw a certificate as PDF", params, response: pdf },
    },
    async (request, reply) => {
      const drawn = await request.read((tx) => findToDraw(tx, request.params.certificate_id));
      return sendPdf(reply, drawn);
    },
  );
  app.get(
    "/api/v2/certificates/:certificate_id/picture",
    {
      config: { access: "authenticated", answersOther: true },
      schema: { tags, summary: "Draw a certificate as PNG", params, response: png },
    },
    async (request, reply) => {
      const drawn = await request.read((tx) => findToDraw(tx, request.params.certificate_id));
      return sendPicture(reply, drawn);
    },
  );
  registerPublic(app);
}

function registerPublic(app: App): void {
  const url = "/api/v2/companies/:subdomain/certificates/:number";
  app.get(
    url,
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "Verify a certificate by its number",
        params: PublicParams,
        response: answers(200, ref(PublicCertificate)),
      },
    },
    (request) => request.read((tx) => getPublicCertificate(tx, request.params.number)),
  );
  app.get(
    `${url}/pdf`,
    {
      config: { access: "public", answersOther: true },
      schema: {
        tags,
        summary: "Draw a certificate as PDF, by its number",
        params: PublicParams,
        response: pdf,
      },
    },
    async (request, reply) => {
      const drawn = await request.read((tx) => findPublicToDraw(tx, request.params.number));
      return sendPdf(reply, drawn);
    },
  );
  app.get(
    `${url}/picture`,
    {
      config: { access: "public", answersOther: true },
      schema: {
        tags,
        summary: "Draw a certificate as PNG, by its number",
        params: PublicParams,
        response: png,
      },
    },
    async (request, reply) => {
      const drawn = await request.read((tx) => findPublicToDraw(tx, request.params.number));
      return sendPicture(reply, drawn);
    },
  );
}

// What draws takes longer to load, and more memory, than all else: it waits for the first certificate that is asked for.

async function sendPdf(reply: FastifyReply, drawn: Drawn): Promise<FastifyReply> {
  const { drawPdf } = await import("./drawing.ts");
  return reply
    .type("application/pdf")
    .header("content-disposition", `inline; filename="${drawn.row.number}.pdf"`)
    .send(await drawPdf(drawn));
}

async function sendPicture(reply: FastifyReply, drawn: Drawn): Promise<FastifyReply> {
  const { drawPicture } = await import("./drawing.ts");
  return reply.type("image/png").send(await drawPicture(drawn));
}
