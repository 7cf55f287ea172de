import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { requireRule } from "./group-profiles.ts";
import { compareAll } from "./refill.ts";
import { isTaken, type Profile } from "./rules.ts";
import { type RulePreview, type RulePreviewBody, SHOWN_IN_PREVIEW } from "./v2-schema.ts";
import { requireVisibleGroup } from "./visible.ts";

/** No group has this id, and nobody is in it. */
const NO_GROUP = 0;

/**
 * Who would join and leave a group if it had this rule, and how many it would take in. It changes nothing.
 * @throws Problem 404 for an unknown group; 422 for a rule that can't be applied.
 */
export async function previewRule(
  tx: Tx,
  { rule, group_id }: RulePreviewBody,
): Promise<Static<typeof RulePreview>> {
  if (group_id !== undefined) await requireVisibleGroup(tx, "groups.write", group_id);
  await requireRule(tx, rule);
  const preview: Static<typeof RulePreview> = {
    matching: 0,
    joining: { total: 0, first: [] },
    leaving: { total: 0, first: [] },
  };
  for await (const { profiles, joining, leaving } of compareAll(tx, [{ id: group_id ?? NO_GROUP, rule }])) {
    preview.matching += profiles.filter((profile) => isTaken(rule, profile)).length;
    const byId = new Map(profiles.map((profile) => [profile.id, profile]));
    const shown = (rows: readonly { readonly user_id: number }[], before: number) =>
      rows.slice(0, Math.max(SHOWN_IN_PREVIEW - before, 0)).flatMap(({ user_id }) => show(byId.get(user_id)));
    preview.joining.first.push(...shown(joining, preview.joining.total));
    preview.leaving.first.push(...shown(leaving, preview.leaving.total));
    preview.joining.total += joining.length;
    preview.leaving.total += leaving.length;
  }
  return preview;
}

function show(profile: Profile | undefined): { id: number; name: string; email: string }[] {
  return profile === undefined ? [] : [{ id: profile.id, name: profile.name, email: profile.email }];
}
