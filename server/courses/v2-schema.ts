import { Type } from "typebox";
import { closed, component, Id, Links, nullable, ref, Time } from "../http/schema.ts";
import { Tag } from "../tags/schema.ts";

const text = Type.String();

/** A course as events tell of it. */
export const CourseState = component(
  "CourseState",
  closed({
    id: Id,
    resource_type: Type.Literal("course"),
    title: text,
    description: nullable(text),
    public: Type.Boolean(),
    owner_id: nullable(Id),
    created_at: Time,
    last_updated_at: nullable(Time),
    archived_at: nullable(Time),
    archived_by_user_id: nullable(Id),
    lessons: Type.Array(closed({ id: Id }), { description: "In the order of the course." }),
    tags: Type.Array(ref(Tag)),
    links: ref(Links),
  }),
);
