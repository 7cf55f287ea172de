import { Type, type Static, type TSchema } from "typebox";
import { closed, component, ref } from "../../http/schema.ts";
import { LessonAnswer, LessonGrade } from "./answer-schema.ts";
import { questionSchemas } from "./question-schema.ts";
import { RichText } from "./rich-text-schema.ts";
import {
  AudioBlock,
  CalloutBlock,
  CodeBlock,
  DividerBlock,
  EmbedBlock,
  FileBlock,
  ImageBlock,
  LessonPage,
  LessonSection,
  RichTextBlock,
  VideoBlock,
} from "./schema.ts";

const text = Type.String();
const Options = Type.Array(closed({ id: text, text }));
const QuestionType = Type.Unsafe<Static<(typeof questionSchemas)[number]>["type"]>({
  type: "string",
  enum: questionSchemas.map((schema) => schema.properties.type.const),
});

/** What is told once a question is answered for good. */
export const QuestionSolution = component(
  "QuestionSolution",
  closed({
    answer: Type.Optional(
      Type.Unsafe<LessonAnswer>({
        ...ref(LessonAnswer),
        description: "A right answer; missing where there is none, as in a poll.",
      }),
    ),
    feedback: Type.Optional(closed({ correct: text, incorrect: text })),
    choices: Type.Optional(
      Type.Array(closed({ id: text, correct: Type.Boolean(), feedback: text }), {
        description: "Of multiple choice.",
      }),
    ),
    blanks: Type.Optional(
      Type.Array(closed({ id: text, answers: Type.Array(text) }), {
        description: "Every text that is right, for each blank.",
      }),
    ),
  }),
);
export type QuestionSolution = Static<typeof QuestionSolution>;

/** A question as a learner gets it. Nothing in it tells the right answer, until it is answered for good. */
export const LearnerQuestion = component(
  "LearnerQuestion",
  closed({
    id: text,
    type: QuestionType,
    prompt: ref(RichText),
    weight: Type.Integer(),
    hints: Type.Array(text),
    multiple: Type.Optional(Type.Boolean()),
    partial_credit: Type.Optional(Type.Boolean()),
    choices: Type.Optional({ ...Options, description: "Of multiple_choice and poll." }),
    left: Type.Optional({ ...Options, description: "Of match: to each belongs one of `right`." }),
    right: Type.Optional({ ...Options, description: "Of match, in the attempt's own order." }),
    items: Type.Optional({ ...Options, description: "Of order, in the attempt's own order." }),
    blanks: Type.Optional(
      Type.Array(closed({ id: text }), {
        description: "Of fill_blank: each stands in the prompt as `{{id}}`.",
      }),
    ),
    answer_type: Type.Optional(Type.Unsafe<"text" | "file">({ type: "string", enum: ["text", "file"] })),
    min_length: Type.Optional(Type.Integer()),
    max_length: Type.Optional(Type.Integer()),
    media: Type.Optional(Type.Unsafe<"audio" | "video">({ type: "string", enum: ["audio", "video"] })),
    max_seconds: Type.Optional(Type.Integer()),
    rubric: Type.Optional(Type.Array(closed({ id: text, title: text, points: Type.Integer() }))),
    solution: Type.Optional(ref(QuestionSolution)),
  }),
);
export type LearnerQuestion = Static<typeof LearnerQuestion>;

const contentBlocks = [
  RichTextBlock,
  ImageBlock,
  VideoBlock,
  AudioBlock,
  FileBlock,
  EmbedBlock,
  CodeBlock,
  CalloutBlock,
  DividerBlock,
] as const;
export type LearnerBlock = Static<(typeof contentBlocks)[number]> | LearnerQuestion;

export const LearnerBlock = component(
  "LearnerBlock",
  Type.Unsafe<LearnerBlock>({
    anyOf: [...contentBlocks.map((schema) => ref(schema)), ref(LearnerQuestion)],
  }),
);

export const LearnerPage = component(
  "LearnerPage",
  closed({ ...LessonPage.properties, blocks: Type.Array(ref(LearnerBlock)) }),
);

export const LearnerSection = component(
  "LearnerSection",
  closed({ ...LessonSection.properties, pages: Type.Array(ref(LearnerPage)) }),
);

/** A lesson as a learner gets it. */
export const LearnerDocument = component(
  "LearnerDocument",
  closed({ sections: Type.Array(ref(LearnerSection)) }),
);
export type LearnerDocument = Static<typeof LearnerDocument>;

/** The schemas that stand in the API's document by name, those that others refer to first; after those of a document. */
export const learnerComponents: readonly TSchema[] = [
  LessonAnswer,
  LessonGrade,
  QuestionSolution,
  LearnerQuestion,
  LearnerBlock,
  LearnerPage,
  LearnerSection,
  LearnerDocument,
];
