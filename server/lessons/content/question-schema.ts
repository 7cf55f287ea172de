import { Type, type Static, type TProperties, type TSchema } from "typebox";
import { closed, component, ref } from "../../http/schema.ts";
import {
  MOST_HINTS,
  MOST_ITEMS,
  MOST_LINE_CHARACTERS,
  MOST_RECORDING_SECONDS,
  MOST_TEXT_CHARACTERS,
} from "./limits.ts";
import { RichText } from "./rich-text-schema.ts";

/** Names a section, page or block in its lesson, or a choice in its question. */
export const Name = Type.String({
  pattern: "^[a-z0-9-]{1,40}$",
  description:
    "Must be 1 to 40 of the characters a-z, 0-9 and -, and stay the same when the content is edited.",
});

/** A text on one line that says something. */
export const Line = Type.String({ minLength: 1, maxLength: MOST_LINE_CHARACTERS });

/** A text on one line that may be empty. */
export const MaybeLine = defaulted(Type.String({ maxLength: MOST_LINE_CHARACTERS, default: "" }));

const No = defaulted(Type.Boolean({ default: false }));

/** Who sends content may leave this out and gets the default; who reads content always finds it. So the type has it always. */
export function defaulted<S extends TSchema>(schema: S): S {
  return Type.Optional(schema);
}

const common = { id: Name, prompt: ref(RichText) };

const scored = {
  weight: defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 1,
      description: "How much the question counts in the score, beside the others. 0: not at all.",
    }),
  ),
  hints: defaulted(Type.Array(Line, { maxItems: MOST_HINTS, default: [] })),
};

const marked = {
  ...scored,
  feedback: defaulted(
    closed(
      { correct: MaybeLine, incorrect: MaybeLine },
      { default: {}, description: "What the learner reads after an answer for good." },
    ),
  ),
};

const partial_credit = defaulted(
  Type.Boolean({
    default: false,
    description: "Whether a partly right answer earns its part of the weight.",
  }),
);
const shuffle = defaulted(
  Type.Boolean({ default: false, description: "Whether each attempt has an order of its own." }),
);
const multiple = defaulted(Type.Boolean({ default: false, description: "Whether several may be chosen." }));

function items<P extends TProperties>(properties: P, least: number) {
  return Type.Array(closed({ id: Name, ...properties }), { minItems: least, maxItems: MOST_ITEMS });
}

const rubric = defaulted(
  Type.Array(closed({ id: Name, title: Line, points: Type.Integer({ minimum: 1, maximum: 1000 }) }), {
    maxItems: MOST_ITEMS,
    default: [],
    description: "What a grader gives points for. Without it a grader gives a percentage.",
  }),
);

export const MultipleChoiceQuestion = component(
  "MultipleChoiceQuestion",
  closed({
    ...common,
    type: Type.Literal("multiple_choice"),
    choices: items({ text: Line, correct: No, feedback: MaybeLine }, 2),
    multiple,
    shuffle,
    partial_credit,
    ...marked,
  }),
);
export type MultipleChoiceQuestion = Static<typeof MultipleChoiceQuestion>;

export const TrueFalseQuestion = component(
  "TrueFalseQuestion",
  closed({
    ...common,
    type: Type.Literal("true_false"),
    correct: Type.Boolean({ description: "Whether the statement is true." }),
    ...marked,
  }),
);

export const MatchQuestion = component(
  "MatchQuestion",
  closed({
    ...common,
    type: Type.Literal("match"),
    pairs: items({ left: Line, right: Line }, 2),
    shuffle,
    partial_credit,
    ...marked,
  }),
);
export type MatchQuestion = Static<typeof MatchQuestion>;

export const OrderQuestion = component(
  "OrderQuestion",
  closed({
    ...common,
    type: Type.Literal("order"),
    items: Type.Array(closed({ id: Name, text: Line }), {
      minItems: 2,
      maxItems: MOST_ITEMS,
      description: "In their right order.",
    }),
    partial_credit,
    ...marked,
  }),
);
export type OrderQuestion = Static<typeof OrderQuestion>;

export const FillBlankQuestion = component(
  "FillBlankQuestion",
  closed(
    {
      ...common,
      type: Type.Literal("fill_blank"),
      blanks: items(
        {
          answers: Type.Array(Line, {
            minItems: 1,
            maxItems: MOST_ITEMS,
            description: "Each is right. Spaces around an answer and double spaces do not count.",
          }),
          case_sensitive: No,
        },
        1,
      ),
      partial_credit,
      ...marked,
    },
    { description: "Each blank stands in the prompt's text once, as `{{id}}`." },
  ),
);
export type FillBlankQuestion = Static<typeof FillBlankQuestion>;

const characters = { minimum: 0, maximum: MOST_TEXT_CHARACTERS };

export const FreeResponseQuestion = component(
  "FreeResponseQuestion",
  closed({
    ...common,
    type: Type.Literal("free_response"),
    answer_type: defaulted(
      Type.Unsafe<"text" | "file">({ type: "string", enum: ["text", "file"], default: "text" }),
    ),
    rubric,
    min_length: defaulted(
      Type.Integer({ ...characters, default: 0, description: "Characters that a text must have." }),
    ),
    max_length: defaulted(
      Type.Integer({
        ...characters,
        minimum: 1,
        default: 10_000,
        description: "Characters that a text may have.",
      }),
    ),
    ...scored,
  }),
);
export type FreeResponseQuestion = Static<typeof FreeResponseQuestion>;

export const PracticeRecordingQuestion = component(
  "PracticeRecordingQuestion",
  closed({
    ...common,
    type: Type.Literal("practice_recording"),
    media: Type.Unsafe<"audio" | "video">({ type: "string", enum: ["audio", "video"] }),
    rubric,
    max_seconds: defaulted(Type.Integer({ minimum: 1, maximum: MOST_RECORDING_SECONDS, default: 300 })),
    ...scored,
  }),
);
export type PracticeRecordingQuestion = Static<typeof PracticeRecordingQuestion>;

export const PollQuestion = component(
  "PollQuestion",
  closed({
    ...common,
    type: Type.Literal("poll"),
    choices: items({ text: Line }, 2),
    multiple,
    shuffle,
  }),
);
export type PollQuestion = Static<typeof PollQuestion>;

/** The kinds of questions, in the order of the document. */
export const questionSchemas = [
  MultipleChoiceQuestion,
  TrueFalseQuestion,
  MatchQuestion,
  OrderQuestion,
  FillBlankQuestion,
  FreeResponseQuestion,
  PracticeRecordingQuestion,
  PollQuestion,
] as const;
export type LessonQuestion = Static<(typeof questionSchemas)[number]>;
