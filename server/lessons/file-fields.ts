import type { Tx, WriteTx } from "../db/db.ts";
import { checkFiles, setFileReferences } from "../files/references.ts";
import { listFileIds } from "./content/files.ts";
import type { LessonDocument } from "./content/schema.ts";

/** Makes sure that the viewer may show the files that a draft names. @throws Problem 422 naming each that is wrong. */
export async function checkFilesOf(tx: Tx, lesson_id: number, content: LessonDocument): Promise<void> {
  await checkFiles(tx, { resource_type: "lesson", resource_id: lesson_id }, listFileFields(content));
}

/** Says which files a lesson's draft (0) or version shows, so that they stay as long as it does. */
export async function keepFilesOf(
  tx: WriteTx,
  { lesson_id, version }: { readonly lesson_id: number; readonly version: number },
  content: LessonDocument,
): Promise<void> {
  const resource = { resource_type: "lesson", resource_id: lesson_id, version };
  await setFileReferences(tx, resource, listFileIds(content));
}

/** Where a draft names files. */
function listFileFields({ sections }: LessonDocument): { id: number; field: string }[] {
  return sections.flatMap(({ pages }, section) =>
    pages.flatMap(({ blocks }, page) =>
      blocks.flatMap((block, index) => {
        const at = `content.sections[${section}].pages[${page}].blocks[${index}]`;
        const captions = "captions_file_id" in block ? block.captions_file_id : null;
        return [
          ...("file_id" in block ? [{ id: block.file_id, field: `${at}.file_id` }] : []),
          ...(captions === null ? [] : [{ id: captions, field: `${at}.captions_file_id` }]),
        ];
      }),
    ),
  );
}
