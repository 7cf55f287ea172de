import type { Locale } from "../users/schema.ts";
import { plural } from "./rendering/plural.ts";

/** The parts of a digest, in the order in which they stand: what can't wait comes first. */
export const digestSections = [
  "overdue",
  "due_soon",
  "assigned",
  "results",
  "certificates",
  "administration",
] as const;
export type DigestSection = (typeof digestSections)[number];

/** Which part of a digest a kind of mail stands in. Kinds that are not here are never in one. */
export const digestSectionOf = {
  overdue: "overdue",
  due_soon: "due_soon",
  assigned: "assigned",
  new_version: "assigned",
  graded: "results",
  retake: "results",
  issued: "certificates",
  expiring: "certificates",
  endpoint_failing: "administration",
  job_done: "administration",
} as const satisfies Record<string, DigestSection>;

export interface DigestFacts {
  /** How many things the digest tells of. */
  readonly count: number;
}

/** What frames the things of a digest in one language. */
export interface DigestText {
  /** The subject, and the heading as well. */
  readonly title: (facts: DigestFacts) => string;
  readonly intro: string;
  /** The intro where nothing of it is about learning. */
  readonly administration_intro: string;
  /** The words of the one button, which opens the learning. */
  readonly action: string;
  readonly sections: Readonly<Record<DigestSection, string>>;
}

export const digestTexts: Readonly<Record<Locale, DigestText>> = {
  ar: {
    title: ({ count }) =>
      plural("ar", count, {
        zero: "لا إشعارات لديك",
        one: "لديك إشعار واحد",
        two: "لديك إشعاران",
        few: "لديك {n} إشعارات",
        many: "لديك {n} إشعارًا",
        other: "لديك {n} إشعار",
      }),
    intro: "إليك أهم ما يخصك في التعلّم، مجموعًا في رسالة واحدة.",
    administration_intro: "إليك ما يحتاج إلى انتباهك في الإدارة، مجموعًا في رسالة واحدة.",
    action: "عرض التعلّم",
    sections: {
      overdue: "متأخر عن موعده",
      due_soon: "موعده قريب",
      assigned: "مهام جديدة لك",
      results: "النتائج",
      certificates: "الشهادات",
      administration: "الإدارة",
    },
  },
  de: {
    title: ({ count }) =>
      plural("de", count, { one: "{n} Mitteilung für Sie", other: "{n} Mitteilungen für Sie" }),
    intro: "Das Wichtigste zu Ihrem Lernen, in einer einzigen Nachricht.",
    administration_intro: "Was in der Verwaltung Ihre Aufmerksamkeit braucht, in einer einzigen Nachricht.",
    action: "Zum Lernen",
    sections: {
      overdue: "Überfällig",
      due_soon: "Bald fällig",
      assigned: "Neu für Sie",
      results: "Ergebnisse",
      certificates: "Zertifikate",
      administration: "Verwaltung",
    },
  },
  en: {
    title: ({ count }) => plural("en", count, { one: "{n} thing for you", other: "{n} things for you" }),
    intro: "Here is what matters in your learning right now, in one email.",
    administration_intro: "Here is what needs your attention as an administrator, in one email.",
    action: "Open your learning",
    sections: {
      overdue: "Overdue",
      due_soon: "Due soon",
      assigned: "Assigned to you",
      results: "Results",
      certificates: "Certificates",
      administration: "Administration",
    },
  },
  es: {
    title: ({ count }) =>
      plural("es", count, { one: "{n} aviso para usted", other: "{n} avisos para usted" }),
    intro: "Lo más importante de su formación, en un solo mensaje.",
    administration_intro: "Lo que requiere su atención en la administración, en un solo mensaje.",
    action: "Ver mi formación",
    sections: {
      overdue: "Fuera de plazo",
      due_soon: "Vence pronto",
      assigned: "Nuevas asignaciones",
      results: "Resultados",
      certificates: "Certificados",
      administration: "Administración",
    },
  },
  fr: {
    title: ({ count }) =>
      plural("fr", count, { one: "{n} information pour vous", other: "{n} informations pour vous" }),
    intro: "Voici l’essentiel de votre formation, en un seul message.",
    administration_intro: "Voici ce qui demande votre attention dans l’administration, en un seul message.",
    action: "Ouvrir ma formation",
    sections: {
      overdue: "En retard",
      due_soon: "Échéances proches",
      assigned: "Nouveau pour vous",
      results: "Résultats",
      certificates: "Certificats",
      administration: "Gestion",
    },
  },
  it: {
    title: ({ count }) => plural("it", count, { one: "{n} nuovo avviso", other: "{n} nuovi avvisi" }),
    intro: "Ecco l’essenziale sulla formazione, in un solo messaggio.",
    administration_intro: "Ecco ciò che richiede attenzione nell’amministrazione, in un solo messaggio.",
    action: "Apri la formazione",
    sections: {
      overdue: "In ritardo",
      due_soon: "In scadenza",
      assigned: "Nuove assegnazioni",
      results: "Risultati",
      certificates: "Certificati",
      administration: "Amministrazione",
    },
  },
  ja: {
    title: ({ count }) => plural("ja", count, { other: "お知らせが{n}件あります" }),
    intro: "学習に関するお知らせを、1通にまとめてお届けします。",
    administration_intro: "管理に関するお知らせを、1通にまとめてお届けします。",
    action: "学習ページを開く",
    sections: {
      overdue: "期限切れ",
      due_soon: "まもなく期限",
      assigned: "新しい割り当て",
      results: "結果",
      certificates: "修了証",
      administration: "管理",
    },
  },
  nl: {
    title: ({ count }) => plural("nl", count, { one: "{n} bericht voor je", other: "{n} berichten voor je" }),
    intro: "Het belangrijkste over wat je leert, in één bericht.",
    administration_intro: "Wat je aandacht vraagt in het beheer, in één bericht.",
    action: "Naar mijn leeromgeving",
    sections: {
      overdue: "Te laat",
      due_soon: "Deadline nadert",
      assigned: "Nieuw voor je",
      results: "Resultaten",
      certificates: "Certificaten",
      administration: "Beheer",
    },
  },
  pt: {
    title: ({ count }) => plural("pt", count, { one: "{n} aviso para você", other: "{n} avisos para você" }),
    intro: "O essencial da sua aprendizagem, em uma só mensagem.",
    administration_intro: "O que precisa da sua atenção na administração, em uma só mensagem.",
    action: "Abrir minha aprendizagem",
    sections: {
      overdue: "Em atraso",
      due_soon: "Vence em breve",
      assigned: "Novo para você",
      results: "Resultados",
      certificates: "Certificados",
      administration: "Administração",
    },
  },
  ru: {
    title: ({ count }) =>
      plural("ru", count, {
        one: "{n} уведомление для вас",
        few: "{n} уведомления для вас",
        many: "{n} уведомлений для вас",
        other: "{n} уведомления для вас",
      }),
    intro: "Самое важное о вашем обучении — в одном письме.",
    administration_intro: "Что требует вашего внимания в администрировании — в одном письме.",
    action: "Перейти к обучению",
    sections: {
      overdue: "Срок истёк",
      due_soon: "Скоро истекает срок",
      assigned: "Новые задания",
      results: "Результаты",
      certificates: "Сертификаты",
      administration: "Администрирование",
    },
  },
  sv: {
    title: ({ count }) =>
      plural("sv", count, { one: "{n} meddelande till dig", other: "{n} meddelanden till dig" }),
    intro: "Det viktigaste om din utbildning, i ett enda mejl.",
    administration_intro: "Det som behöver din uppmärksamhet i administrationen, i ett enda mejl.",
    action: "Öppna min utbildning",
    sections: {
      overdue: "Slutdatum passerat",
      due_soon: "Slutdatum närmar sig",
      assigned: "Nytt för dig",
      results: "Resultat",
      certificates: "Certifikat",
      administration: "Administration",
    },
  },
  "zh-CN": {
    title: ({ count }) => plural("zh-CN", count, { other: "您有 {n} 条提醒" }),
    intro: "以下是与您的学习有关的重要提醒，汇总在一封邮件中。",
    administration_intro: "以下是需要您处理的管理提醒，汇总在一封邮件中。",
    action: "打开学习页面",
    sections: {
      overdue: "已逾期",
      due_soon: "即将到期",
      assigned: "新的学习任务",
      results: "成绩",
      certificates: "证书",
      administration: "管理",
    },
  },
};
