import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";

const Sha256 = Type.String({ pattern: "^[0-9a-fA-F]{64}$", description: "A SHA-256 in hexadecimal digits." });
const MediaType = Type.String({ examples: ["image/png"] });
const Address = Type.String({
  description:
    "An address for an hour or two. It needs no sign-in, so it can stand in a page; ask for a new one later.",
});
const Edge = Type.Integer({ minimum: 1, description: "In pixels." });

/** A file as its own answer and inside others. */
export const File = component(
  "File",
  closed({
    id: Id,
    resource_type: Type.Literal("file"),
    name: Type.String(),
    kind: Type.Unsafe<"image" | "video" | "audio" | "document" | "download">({
      type: "string",
      enum: ["image", "video", "audio", "document", "download"],
      description: "`download` is what a browser must not show: HTML and SVG.",
    }),
    media_type: MediaType,
    size: Type.Integer({ description: "In bytes." }),
    sha256: Sha256,
    width: nullable(Edge),
    height: nullable(Edge),
    created_at: Time,
    created_by_user_id: nullable(Id),
    url: Address,
    sizes: Type.Array(
      closed({ width: Edge, height: Edge, media_type: MediaType, size: Type.Integer(), url: Address }),
      { description: "Smaller ones of a picture, the smallest first." },
    ),
  }),
);
export type File = Static<typeof File>;

export const FileList = listOf(ref(File));
export const FileQuery = Type.Object({
  ...CursorQuery,
  "filter[kind]": Type.Optional(File.properties.kind),
});
export type FileQuery = Static<typeof FileQuery>;
export const Deleted = closed({ id: Id });
export const FileParams = Type.Object({ file_id: Id });

export const ContentParams = Type.Object({
  subdomain: Type.String({ description: "The company's." }),
  file_id: Id,
});
export const ContentQuery = Type.Object({
  size: Type.Optional(
    Type.Unsafe<"320" | "960" | "1920">({
      type: "string",
      enum: ["320", "960", "1920"],
      description: "A smaller one of a picture, by its width.",
    }),
  ),
  expires: Type.Integer({ minimum: 0, description: "Until when the address holds, in seconds since 1970." }),
  signature: Type.String({ maxLength: 100, description: "Ours, of all that the address says." }),
});
export type ContentQuery = Static<typeof ContentQuery>;

export const NewUpload = closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern:
        "^[^\\u0000-\\u001f\\u007f/\\\\]*[^\\u0000-\\u001f\\u007f/\\\\ .][^\\u0000-\\u001f\\u007f/\\\\]*$",
      description: "The file's name, without folders.",
    }),
    size: Type.Integer({ minimum: 1, description: "In bytes." }),
    sha256: Type.Optional(Sha256),
  },
  { examples: [{ name: "welcome.mp4", size: 104_857_600 }] },
);
export type NewUpload = Static<typeof NewUpload>;

/** An upload under way, and what has become of it. */
export const Upload = component(
  "Upload",
  closed({
    id: Id,
    resource_type: Type.Literal("upload"),
    name: Type.String(),
    size: Type.Integer({ description: "In bytes." }),
    sha256: nullable(Sha256),
    part_size: Type.Integer({ description: "How many bytes each part has; the last one has the rest." }),
    parts: Type.Integer({ description: "How many parts there are, from 1." }),
    arrived: Type.Array(Type.Integer(), { description: "The numbers of the parts that are here, whole." }),
    file_id: nullable(Id, { description: "The file that it has become." }),
    created_at: Time,
  }),
);
export type Upload = Static<typeof Upload>;

export const UploadParams = Type.Object({ upload_id: Id });
export const PartParams = Type.Object({
  upload_id: Id,
  part: Type.Integer({ minimum: 1, maximum: 100_000, description: "From 1." }),
});
