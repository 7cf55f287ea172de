import { listBlocks } from "./questions.ts";
import type { LessonDocument } from "./schema.ts";

/** The ids of the files that a lesson shows or offers, each once, ascending. */
export function listFileIds(document: LessonDocument): number[] {
  const ids = listBlocks(document).flatMap((block) => [
    ...("file_id" in block ? [block.file_id] : []),
    ...("captions_file_id" in block && block.captions_file_id !== null ? [block.captions_file_id] : []),
  ]);
  return [...new Set(ids)].toSorted((a, b) => a - b);
}
