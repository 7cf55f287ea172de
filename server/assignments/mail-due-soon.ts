import { relativeDay } from "../mail/rendering/relative-day.ts";
import type { MailKind } from "../mail/text.ts";

export interface DueSoonFacts {
  readonly title: string;
  readonly due: string;
  /** From the day it is sent to the due date. */
  readonly days: number;
}

/** Reminds a person of a due date that is still ahead. */
export const dueSoonMail: MailKind<DueSoonFacts> = {
  kind: "due_soon",
  category: "reminders",
  texts: {
    ar: {
      subject: ({ title, days }) => `الموعد النهائي ${relativeDay("ar", days)}: ${title}`,
      heading: ({ title, days }) => `الموعد النهائي لـ«${title}» ${relativeDay("ar", days)}`,
      paragraphs: ({ title, due }) => [
        `يُرجى إتمام «${title}» في موعد أقصاه ${due}.`,
        "إذا سبق لك البدء، فيمكنك المتابعة من حيث توقفت.",
      ],
      action: () => "المتابعة الآن",
      item: ({ title, due, days }) => `${title} (${relativeDay("ar", days)}، في ${due})`,
    },
    de: {
      subject: ({ title, days }) => `Fällig ${relativeDay("de", days)}: ${title}`,
      heading: ({ title, days }) => `„${title}“ ist ${relativeDay("de", days)} fällig`,
      paragraphs: ({ title, due }) => [
        `Bitte schließen Sie „${title}“ bis zum ${due} ab.`,
        "Wenn Sie schon begonnen haben, machen Sie dort weiter, wo Sie aufgehört haben.",
      ],
      action: () => "Jetzt abschließen",
      item: ({ title, due, days }) => `${title} (fällig ${relativeDay("de", days)}, am ${due})`,
    },
    en: {
      subject: ({ title, days }) => `Due ${relativeDay("en", days)}: ${title}`,
      heading: ({ title, days }) => `“${title}” is due ${relativeDay("en", days)}`,
      paragraphs: ({ title, due }) => [
        `Please complete “${title}” by ${due}.`,
        "If you have already started, you can continue where you left off.",
      ],
      action: () => "Complete it now",
      item: ({ title, due, days }) => `${title} (due ${relativeDay("en", days)}, on ${due})`,
    },
    es: {
      subject: ({ title, days }) => `Vence ${relativeDay("es", days)}: ${title}`,
      heading: ({ title, days }) => `«${title}» vence ${relativeDay("es", days)}`,
      paragraphs: ({ title, due }) => [
        `Le rogamos que termine «${title}» a más tardar el ${due}.`,
        "Si ya ha empezado, puede seguir donde lo dejó.",
      ],
      action: () => "Completar ahora",
      item: ({ title, due, days }) => `${title} (vence ${relativeDay("es", days)}, el ${due})`,
    },
    fr: {
      subject: ({ title, days }) => `Échéance ${relativeDay("fr", days)}\u00a0: ${title}`,
      heading: ({ title, days }) => `«\u00a0${title}\u00a0»\u00a0: échéance ${relativeDay("fr", days)}`,
      paragraphs: ({ title, due }) => [
        `Merci de terminer «\u00a0${title}\u00a0» au plus tard le ${due}.`,
        "Si vous avez déjà commencé, reprenez simplement là où vous en étiez.",
      ],
      action: () => "Terminer maintenant",
      item: ({ title, due, days }) => `${title} (échéance ${relativeDay("fr", days)}, le ${due})`,
    },
    it: {
      subject: ({ title, days }) => `Scade ${relativeDay("it", days)}: ${title}`,
      heading: ({ title, days }) => `«${title}» scade ${relativeDay("it", days)}`,
      paragraphs: ({ title, due }) => [
        `«${title}» è da completare entro questa data: ${due}.`,
        "Chi ha già iniziato può riprendere dal punto raggiunto.",
      ],
      action: () => "Completa ora",
      item: ({ title, due, days }) => `${title} (scade ${relativeDay("it", days)}: ${due})`,
    },
    ja: {
      subject: ({ title, days }) => `${relativeDay("ja", days)}が期限です：${title}`,
      heading: ({ title, days }) => `「${title}」の期限は${relativeDay("ja", days)}です`,
      paragraphs: ({ title, due }) => [
        `${due}までに「${title}」を修了してください。`,
        "すでに始めている場合は、前回の続きから再開できます。",
      ],
      action: () => "学習を進める",
      item: ({ title, due, days }) => `${title}（期限：${due}、${relativeDay("ja", days)}）`,
    },
    nl: {
      subject: ({ title, days }) => `Deadline ${relativeDay("nl", days)}: ${title}`,
      heading: ({ title, days }) => `‘${title}’ moet ${relativeDay("nl", days)} klaar zijn`,
      paragraphs: ({ title, due }) => [
        `Rond ‘${title}’ uiterlijk op ${due} af.`,
        "Ben je al begonnen, dan ga je verder waar je was gebleven.",
      ],
      action: () => "Nu afronden",
      item: ({ title, due, days }) => `${title} (deadline ${relativeDay("nl", days)}, op ${due})`,
    },
    pt: {
      subject: ({ title, days }) => `Vence ${relativeDay("pt", days)}: ${title}`,
      heading: ({ title, days }) => `“${title}” vence ${relativeDay("pt", days)}`,
      paragraphs: ({ title, due }) => [
        `Conclua “${title}” até ${due}.`,
        "Se você já começou, pode continuar de onde parou.",
      ],
      action: () => "Concluir agora",
      item: ({ title, due, days }) => `${title} (vence ${relativeDay("pt", days)}, em ${due})`,
    },
    ru: {
      subject: ({ title, days }) => `Срок истекает ${relativeDay("ru", days)}: ${title}`,
      heading: ({ title, days }) => `«${title}»: срок истекает ${relativeDay("ru", days)}`,
      paragraphs: ({ title, due }) => [
        `Пройдите «${title}» до ${due} включительно.`,
        "Если вы уже начали, продолжайте с того места, где остановились.",
      ],
      action: () => "Продолжить обучение",
      item: ({ title, due, days }) => `${title} (срок истекает ${relativeDay("ru", days)}, ${due})`,
    },
    sv: {
      subject: ({ title, days }) => `Slutdatum ${relativeDay("sv", days)}: ${title}`,
      heading: ({ title, days }) => `Slutdatum för ”${title}” är ${relativeDay("sv", days)}`,
      paragraphs: ({ title, due }) => [
        `Slutför ”${title}” senast ${due}.`,
        "Har du redan börjat fortsätter du där du slutade.",
      ],
      action: () => "Slutför nu",
      item: ({ title, due, days }) => `${title} (slutdatum ${relativeDay("sv", days)}, ${due})`,
    },
    "zh-CN": {
      subject: ({ title, days }) => `${relativeDay("zh-CN", days)}到期：${title}`,
      heading: ({ title, days }) => `“${title}”将于${relativeDay("zh-CN", days)}到期`,
      paragraphs: ({ title, due }) => [
        `请最晚于 ${due}完成“${title}”。`,
        "如果您已开始学习，可以从上次的进度继续。",
      ],
      action: () => "立即完成",
      item: ({ title, due, days }) => `${title}（${relativeDay("zh-CN", days)}到期：${due}）`,
    },
  },
};
