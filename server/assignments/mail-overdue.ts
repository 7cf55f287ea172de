import { relativeDay } from "../mail/rendering/relative-day.ts";
import type { MailKind } from "../mail/text.ts";

export interface OverdueFacts {
  readonly title: string;
  readonly due: string;
  /** From the due date to the day it is sent. */
  readonly days: number;
}

/** Reminds a person of what they have not completed in time. */
export const overdueMail: MailKind<OverdueFacts> = {
  kind: "overdue",
  category: "reminders",
  texts: {
    ar: {
      subject: ({ title }) => `انقضى الموعد: ${title}`,
      heading: ({ title }) => `انقضى الموعد النهائي لـ«${title}»`,
      paragraphs: ({ title, due, days }) => [
        `كان الموعد النهائي لـ«${title}» هو ${due} (${relativeDay("ar", -days)}).`,
        "لا يزال الإتمام ممكنًا، ويُرجى ذلك في أقرب وقت.",
      ],
      action: () => "الإتمام الآن",
      item: ({ title, due }) => `${title} (كان الموعد النهائي ${due})`,
    },
    de: {
      subject: ({ title }) => `Überfällig: ${title}`,
      heading: ({ title }) => `„${title}“ ist überfällig`,
      paragraphs: ({ title, due, days }) => [
        `„${title}“ war am ${due} fällig (${relativeDay("de", -days)}).`,
        "Sie können es noch abschließen. Bitte holen Sie das so bald wie möglich nach.",
      ],
      action: () => "Jetzt abschließen",
      item: ({ title, due }) => `${title} (war am ${due} fällig)`,
    },
    en: {
      subject: ({ title }) => `Overdue: ${title}`,
      heading: ({ title }) => `“${title}” is overdue`,
      paragraphs: ({ title, due, days }) => [
        `“${title}” was due on ${due} (${relativeDay("en", -days)}).`,
        "You can still complete it. Please do so as soon as you can.",
      ],
      action: () => "Complete it now",
      item: ({ title, due }) => `${title} (was due on ${due})`,
    },
    es: {
      subject: ({ title }) => `Fuera de plazo: ${title}`,
      heading: ({ title }) => `«${title}» está fuera de plazo`,
      paragraphs: ({ title, due, days }) => [
        `El plazo de «${title}» terminó el ${due} (${relativeDay("es", -days)}).`,
        "Todavía puede completarlo. Le rogamos que lo haga lo antes posible.",
      ],
      action: () => "Completar ahora",
      item: ({ title, due }) => `${title} (el plazo terminó el ${due})`,
    },
    fr: {
      subject: ({ title }) => `En retard\u00a0: ${title}`,
      heading: ({ title }) => `«\u00a0${title}\u00a0» est en retard`,
      paragraphs: ({ title, due, days }) => [
        `«\u00a0${title}\u00a0» était à terminer au plus tard le ${due} (${relativeDay("fr", -days)}).`,
        "Il est encore possible de terminer. Merci de le faire dès que vous le pourrez.",
      ],
      action: () => "Terminer maintenant",
      item: ({ title, due }) => `${title} (était à terminer le ${due})`,
    },
    it: {
      subject: ({ title }) => `In ritardo: ${title}`,
      heading: ({ title }) => `«${title}» è in ritardo`,
      paragraphs: ({ title, due, days }) => [
        `La scadenza di «${title}» è passata: ${due} (${relativeDay("it", -days)}).`,
        "È ancora possibile completare: meglio farlo appena possibile.",
      ],
      action: () => "Completa ora",
      item: ({ title, due }) => `${title} (scadenza passata: ${due})`,
    },
    ja: {
      subject: ({ title }) => `期限切れ：${title}`,
      heading: ({ title }) => `「${title}」は期限を過ぎています`,
      paragraphs: ({ title, due, days }) => [
        `「${title}」の期限は${due}（${relativeDay("ja", -days)}）でした。`,
        "今からでも修了できます。できるだけ早めに取り組んでください。",
      ],
      action: () => "今すぐ学習する",
      item: ({ title, due }) => `${title}（期限は${due}でした）`,
    },
    nl: {
      subject: ({ title }) => `Te laat: ${title}`,
      heading: ({ title }) => `De deadline van ‘${title}’ is voorbij`,
      paragraphs: ({ title, due, days }) => [
        `‘${title}’ moest uiterlijk op ${due} klaar zijn (${relativeDay("nl", -days)}).`,
        "Je kunt het nog steeds afronden. Doe dat zo snel mogelijk.",
      ],
      action: () => "Nu afronden",
      item: ({ title, due }) => `${title} (deadline was ${due})`,
    },
    pt: {
      subject: ({ title }) => `Em atraso: ${title}`,
      heading: ({ title }) => `“${title}” está em atraso`,
      paragraphs: ({ title, due, days }) => [
        `O prazo de “${title}” terminou em ${due} (${relativeDay("pt", -days)}).`,
        "Ainda é possível concluir. Faça isso assim que puder.",
      ],
      action: () => "Concluir agora",
      item: ({ title, due }) => `${title} (o prazo terminou em ${due})`,
    },
    ru: {
      subject: ({ title }) => `Срок истёк: ${title}`,
      heading: ({ title }) => `Срок истёк: «${title}»`,
      paragraphs: ({ title, due, days }) => [
        `Срок прохождения «${title}» истёк ${due} (${relativeDay("ru", -days)}).`,
        "Пройти обучение всё ещё можно. Пожалуйста, сделайте это как можно скорее.",
      ],
      action: () => "Пройти сейчас",
      item: ({ title, due }) => `${title} (срок истёк ${due})`,
    },
    sv: {
      subject: ({ title }) => `Slutdatum passerat: ${title}`,
      heading: ({ title }) => `Slutdatumet för ”${title}” har passerat`,
      paragraphs: ({ title, due, days }) => [
        `Slutdatumet för ”${title}” var ${due} (${relativeDay("sv", -days)}).`,
        "Det går fortfarande bra att slutföra. Gör det så snart du kan.",
      ],
      action: () => "Slutför nu",
      item: ({ title, due }) => `${title} (slutdatumet var ${due})`,
    },
    "zh-CN": {
      subject: ({ title }) => `已逾期：${title}`,
      heading: ({ title }) => `“${title}”已逾期`,
      paragraphs: ({ title, due, days }) => [
        `“${title}”的截止日期是 ${due}（${relativeDay("zh-CN", -days)}）。`,
        "您仍然可以完成，请尽快安排时间学习。",
      ],
      action: () => "立即完成",
      item: ({ title, due }) => `${title}（已于 ${due}到期）`,
    },
  },
};
