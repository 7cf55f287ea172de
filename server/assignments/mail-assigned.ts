import type { MailKind } from "../mail/text.ts";

export interface AssignedFacts {
  readonly title: string;
  readonly due: string | null;
}

/** Tells a person that they were assigned a lesson, path or course. */
export const assignedMail: MailKind<AssignedFacts> = {
  kind: "assigned",
  category: "assignments",
  texts: {
    ar: {
      subject: ({ title }) => `مهمة جديدة لك: ${title}`,
      heading: ({ title }) => `مهمة جديدة لك: «${title}»`,
      paragraphs: ({ title, due }) => [
        `أُسند إليك «${title}».`,
        due === null
          ? "لا يوجد موعد نهائي، ويمكنك إنجازه بالوتيرة التي تناسبك."
          : `يُرجى إتمامه في موعد أقصاه ${due}.`,
      ],
      action: () => "بدء التعلّم",
      item: ({ title, due }) => (due === null ? title : `${title} (حتى ${due})`),
    },
    de: {
      subject: ({ title }) => `Neu für Sie: ${title}`,
      heading: ({ title }) => `Neu für Sie: „${title}“`,
      paragraphs: ({ title, due }) => [
        `Ihnen wurde „${title}“ zugewiesen.`,
        due === null
          ? "Es gibt keine Frist: Lernen Sie in Ihrem eigenen Tempo."
          : `Bitte schließen Sie es bis zum ${due} ab.`,
      ],
      action: () => "Jetzt beginnen",
      item: ({ title, due }) => (due === null ? title : `${title} (bis zum ${due})`),
    },
    en: {
      subject: ({ title }) => `New for you: ${title}`,
      heading: ({ title }) => `New for you: “${title}”`,
      paragraphs: ({ title, due }) => [
        `You have been assigned “${title}”.`,
        due === null
          ? "There is no due date, so you can work at your own pace."
          : `Please complete it by ${due}.`,
      ],
      action: () => "Start now",
      item: ({ title, due }) => (due === null ? title : `${title} (due by ${due})`),
    },
    es: {
      subject: ({ title }) => `Nueva asignación: ${title}`,
      heading: ({ title }) => `Nueva asignación: «${title}»`,
      paragraphs: ({ title, due }) => [
        `Se le ha asignado «${title}».`,
        due === null
          ? "No hay fecha límite: puede avanzar a su ritmo."
          : `Le rogamos que termine a más tardar el ${due}.`,
      ],
      action: () => "Empezar ahora",
      item: ({ title, due }) => (due === null ? title : `${title} (hasta el ${due})`),
    },
    fr: {
      subject: ({ title }) => `Nouveau pour vous\u00a0: ${title}`,
      heading: ({ title }) => `Nouveau pour vous\u00a0: «\u00a0${title}\u00a0»`,
      paragraphs: ({ title, due }) => [
        `«\u00a0${title}\u00a0» vous a été attribué.`,
        due === null
          ? "Il n’y a pas de date limite\u00a0: avancez à votre rythme."
          : `Merci de terminer au plus tard le ${due}.`,
      ],
      action: () => "Commencer",
      item: ({ title, due }) => (due === null ? title : `${title} (au plus tard le ${due})`),
    },
    it: {
      subject: ({ title }) => `Nuova assegnazione: ${title}`,
      heading: ({ title }) => `Nuova assegnazione: «${title}»`,
      paragraphs: ({ title, due }) => [
        `C’è una nuova attività da svolgere: «${title}».`,
        due === null
          ? "Non c’è una scadenza: si può procedere con calma."
          : `Da completare entro questa data: ${due}.`,
      ],
      action: () => "Inizia ora",
      item: ({ title, due }) => (due === null ? title : `${title} (scadenza: ${due})`),
    },
    ja: {
      subject: ({ title }) => `新しい割り当て：${title}`,
      heading: ({ title }) => `新しい割り当て「${title}」`,
      paragraphs: ({ title, due }) => [
        `「${title}」が割り当てられました。`,
        due === null
          ? "期限はありません。ご自分のペースで進めてください。"
          : `${due}までに修了してください。`,
      ],
      action: () => "学習を始める",
      item: ({ title, due }) => (due === null ? title : `${title}（期限：${due}）`),
    },
    nl: {
      subject: ({ title }) => `Nieuw voor je: ${title}`,
      heading: ({ title }) => `Nieuw voor je: ‘${title}’`,
      paragraphs: ({ title, due }) => [
        `‘${title}’ is aan je toegewezen.`,
        due === null
          ? "Er is geen einddatum: doe het in je eigen tempo."
          : `Rond het uiterlijk op ${due} af.`,
      ],
      action: () => "Nu beginnen",
      item: ({ title, due }) => (due === null ? title : `${title} (uiterlijk ${due})`),
    },
    pt: {
      subject: ({ title }) => `Novo para você: ${title}`,
      heading: ({ title }) => `Novo para você: “${title}”`,
      paragraphs: ({ title, due }) => [
        `Você recebeu uma nova atividade: “${title}”.`,
        due === null ? "Não há prazo: avance no seu ritmo." : `Conclua até ${due}.`,
      ],
      action: () => "Começar agora",
      item: ({ title, due }) => (due === null ? title : `${title} (prazo: ${due})`),
    },
    ru: {
      subject: ({ title }) => `Новое задание: ${title}`,
      heading: ({ title }) => `Новое задание: «${title}»`,
      paragraphs: ({ title, due }) => [
        `Вам назначено новое задание: «${title}».`,
        due === null
          ? "Срока нет: занимайтесь в удобном для вас темпе."
          : `Пройдите его до ${due} включительно.`,
      ],
      action: () => "Начать обучение",
      item: ({ title, due }) => (due === null ? title : `${title} (срок: ${due})`),
    },
    sv: {
      subject: ({ title }) => `Nytt för dig: ${title}`,
      heading: ({ title }) => `Nytt för dig: ”${title}”`,
      paragraphs: ({ title, due }) => [
        `Du har tilldelats ”${title}”.`,
        due === null ? "Det finns inget slutdatum: ta det i din egen takt." : `Slutför senast ${due}.`,
      ],
      action: () => "Börja nu",
      item: ({ title, due }) => (due === null ? title : `${title} (senast ${due})`),
    },
    "zh-CN": {
      subject: ({ title }) => `新的学习任务：${title}`,
      heading: ({ title }) => `新的学习任务：“${title}”`,
      paragraphs: ({ title, due }) => [
        `您收到了新的学习任务“${title}”。`,
        due === null ? "此任务没有截止日期，您可以按自己的节奏学习。" : `请最晚于 ${due}完成。`,
      ],
      action: () => "开始学习",
      item: ({ title, due }) => (due === null ? title : `${title}（截止日期：${due}）`),
    },
  },
};
