import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a server needs to speak TLS, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** The authority's certificate, to be trusted by who tests, and what servers get by it or without it. */
export interface Certificates {
  readonly authority: string;
  readonly good: Certificate;
  readonly expired: Certificate;
  readonly selfSigned: Certificate;
}

const CONFIGURATION = `[ca]
default_ca = one
[one]
new_certs_dir = .
database = index
serial = serial
default_md = sha256
policy = anything
copy_extensions = copy
unique_subject = no
[anything]
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
`;
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"];

/** Why a test that makes certificates is skipped, if it is. */
export const skipWithoutOpenssl =
  spawnSync("openssl", ["version"]).status === 0 ? false : "there is no openssl on the PATH";

/** Makes certificates for a host, which is a name or an address, by an authority of their own, with openssl. */
export function makeCertificates(host: string): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "lectern-certificates-"));
  const openssl = (...words: string[]): Buffer =>
    execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const named = [
    "-subj",
    `/CN=${host}`,
    "-addext",
    `subjectAltName=${isIP(host) === 0 ? "DNS" : "IP"}:${host}`,
  ];
  const sign = (name: string, from: string, to: string): Certificate => {
    const span = ["-startdate", from, "-enddate", to];
    openssl(
      "ca",
      "-batch",
      "-config",
      "ca.cnf",
      "-keyfile",
      "ca.key",
      "-cert",
      "ca.pem",
      "-in",
      "host.csr",
      "-out",
      name,
      "-notext",
      ...span,
    );
    return { key: read("host.key"), cert: read(name) };
  };
  try {
    writeFileSync(join(folder, "ca.cnf"), CONFIGURATION);
    writeFileSync(join(folder, "index"), "");
    writeFileSync(join(folder, "serial"), "01\n");
    const authority = ["-config", "ca.cnf", "-extensions", "authority", "-subj", "/CN=An authority"];
    openssl("req", "-x509", ...NEW_KEY, "ca.key", "-out", "ca.pem", "-days", "2", ...authority);
    openssl("req", ...NEW_KEY, "host.key", "-out", "host.csr", "-config", "ca.cnf", ...named);
    openssl(
      "req",
      "-x509",
      "-key",
      "host.key",
      "-out",
      "self.pem",
      "-days",
      "2",
      "-config",
      "ca.cnf",
      ...named,
    );
    return {
      authority: read("ca.pem"),
      good: sign("good.pem", "20200101000000Z", "20990101000000Z"),
      expired: sign("expired.pem", "20200101000000Z", "20210101000000Z"),
      selfSigned: { key: read("host.key"), cert: read("self.pem") },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
