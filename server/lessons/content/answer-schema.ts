import { Type, type Static } from "typebox";
import { closed, component, Id } from "../../http/schema.ts";
import { MOST_ITEMS, MOST_LINE_CHARACTERS, MOST_TEXT_CHARACTERS } from "./limits.ts";

/** An id of a choice, pair, item or blank: the author's where an answer is stored, the attempt's own where a learner sees it. */
const Key = Type.String({ minLength: 1, maxLength: 40 });
const Keys = Type.Array(Key, { maxItems: MOST_ITEMS, uniqueItems: true });

const Matched = closed({ left: Key, right: Key });
const Filled = closed({ id: Key, text: Type.String({ maxLength: MOST_LINE_CHARACTERS }) });

export type LessonAnswer =
  | { choices: string[] }
  | { value: boolean }
  | { pairs: Static<typeof Matched>[] }
  | { items: string[] }
  | { blanks: Static<typeof Filled>[] }
  | { text: string }
  | { file_id: number };

/** The shape of each kind of answer, closed. */
export const answerShapes = {
  choices: closed({ choices: Keys }),
  value: closed({ value: Type.Boolean() }),
  pairs: closed({ pairs: Type.Array(Matched, { maxItems: MOST_ITEMS }) }),
  items: closed({ items: Keys }),
  blanks: closed({ blanks: Type.Array(Filled, { maxItems: MOST_ITEMS }) }),
  text: closed({ text: Type.String({ maxLength: MOST_TEXT_CHARACTERS }) }),
  file_id: closed({ file_id: Id }),
} as const;
export type AnswerKind = keyof typeof answerShapes;

/** One schema with every key, as it is quicker to serialise than a union; the type says that there is exactly one. */
export const LessonAnswer = component(
  "LessonAnswer",
  Type.Unsafe<LessonAnswer>(
    closed(
      {
        choices: Type.Optional(answerShapes.choices.properties.choices),
        value: Type.Optional(answerShapes.value.properties.value),
        pairs: Type.Optional(answerShapes.pairs.properties.pairs),
        items: Type.Optional(answerShapes.items.properties.items),
        blanks: Type.Optional(answerShapes.blanks.properties.blanks),
        text: Type.Optional(answerShapes.text.properties.text),
        file_id: Type.Optional(answerShapes.file_id.properties.file_id),
      },
      {
        description:
          "Exactly one key, by the question's type: choices (multiple_choice, poll), value (true_false), pairs (match), items (order, all of them), blanks (fill_blank), text or file_id (free_response), file_id (practice_recording). Ids are those that the learner was sent.",
      },
    ),
  ),
);

export const gradeShapes = {
  points: closed({
    points: Type.Array(closed({ id: Key, points: Type.Integer({ minimum: 0 }) }), { maxItems: MOST_ITEMS }),
  }),
  percent: closed({ percent: Type.Integer({ minimum: 0, maximum: 100 }) }),
} as const;

/** What a grader gives an answer. */
export const LessonGrade = component(
  "LessonGrade",
  Type.Unsafe<{ points: { id: string; points: number }[] } | { percent: number }>(
    closed(
      {
        points: Type.Optional(gradeShapes.points.properties.points),
        percent: Type.Optional(gradeShapes.percent.properties.percent),
      },
      {
        description:
          "Exactly one key: points, one for each row of the question's rubric; or percent, where it has no rubric.",
      },
    ),
  ),
);
