import { Type } from "typebox";
import { closed, component, Id, ref } from "../http/schema.ts";

const text = Type.String();
const resource_type = Type.Literal("tag");

/** A tag in a list, and on what it marks. */
export const Tag = component("Tag", closed({ id: Id, resource_type, name: text }));

/** A tag as its own answer. */
export const ShownTag = closed({ id: Id, type: Type.Literal("tag"), resource_type, name: text });

export const TagList = closed({ type: Type.Literal("tags"), tags: Type.Array(ref(Tag)) });

export const TagParams = Type.Object({ tag_id: Id });
