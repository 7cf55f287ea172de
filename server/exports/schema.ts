import { Type } from "typebox";

/** What every export takes. */
export const ExportQuery = {
  format: Type.Optional(
    Type.Unsafe<"csv" | "ndjson">({
      type: "string",
      enum: ["csv", "ndjson"],
      default: "csv",
      description: "CSV with a header, or one JSON object on each line.",
    }),
  ),
  bom: Type.Optional(
    Type.Boolean({ description: "`true` begins the CSV with a byte order mark, for spreadsheets." }),
  ),
};

/** The answer of an export, as the document describes it. */
export const exportAnswer = {
  200: {
    description: "All rows as they are at one moment, streamed.",
    content: {
      "text/csv": { schema: Type.String() },
      "application/x-ndjson": { schema: Type.String() },
    },
  },
};
