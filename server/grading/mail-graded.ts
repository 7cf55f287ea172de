import type { MailKind } from "../mail/text.ts";

export interface GradedFacts {
  readonly title: string;
  /** As it is read: "85 %"; null where nothing is scored. */
  readonly score: string | null;
}

/** Tells a person that their answers were graded, and that with it they have completed what they were assigned. */
export const gradedMail: MailKind<GradedFacts> = {
  kind: "graded",
  category: "results",
  texts: {
    ar: {
      subject: ({ title }) => `نتيجتك: ${title}`,
      heading: ({ title }) => `تم تقييم «${title}»`,
      paragraphs: ({ title, score }) => [
        `تم تقييم إجاباتك في «${title}».`,
        score === null ? "وبذلك اكتمل إنجازك." : `النتيجة: ${score}. وبذلك اكتمل إنجازك.`,
      ],
      action: () => "عرض النتيجة",
      item: ({ title, score }) => (score === null ? `${title}: مكتمل` : `${title}: ${score}`),
    },
    de: {
      subject: ({ title }) => `Ihr Ergebnis: ${title}`,
      heading: ({ title }) => `„${title}“ wurde bewertet`,
      paragraphs: ({ title, score }) => [
        `Ihre Antworten in „${title}“ wurden bewertet.`,
        score === null
          ? "Sie haben es damit abgeschlossen."
          : `Ihr Ergebnis: ${score}. Sie haben es damit abgeschlossen.`,
      ],
      action: () => "Ergebnis ansehen",
      item: ({ title, score }) => (score === null ? `${title}: abgeschlossen` : `${title}: ${score}`),
    },
    en: {
      subject: ({ title }) => `Your result: ${title}`,
      heading: ({ title }) => `“${title}” has been graded`,
      paragraphs: ({ title, score }) => [
        `Your answers in “${title}” have been graded.`,
        score === null ? "You have now completed it." : `Your score: ${score}. You have now completed it.`,
      ],
      action: () => "View your result",
      item: ({ title, score }) => (score === null ? `${title}: completed` : `${title}: ${score}`),
    },
    es: {
      subject: ({ title }) => `Su resultado: ${title}`,
      heading: ({ title }) => `«${title}» ya tiene calificación`,
      paragraphs: ({ title, score }) => [
        `Se han calificado sus respuestas en «${title}».`,
        score === null ? "Con ello lo ha completado." : `Su puntuación: ${score}. Con ello lo ha completado.`,
      ],
      action: () => "Ver el resultado",
      item: ({ title, score }) => (score === null ? `${title}: completado` : `${title}: ${score}`),
    },
    fr: {
      subject: ({ title }) => `Votre résultat\u00a0: ${title}`,
      heading: ({ title }) => `«\u00a0${title}\u00a0»\u00a0: vos réponses sont notées`,
      paragraphs: ({ title, score }) => [
        `Vos réponses dans «\u00a0${title}\u00a0» ont été notées.`,
        score === null ? "C’est désormais terminé." : `Votre score\u00a0: ${score}. C’est désormais terminé.`,
      ],
      action: () => "Voir mon résultat",
      item: ({ title, score }) => (score === null ? `${title}\u00a0: terminé` : `${title}\u00a0: ${score}`),
    },
    it: {
      subject: ({ title }) => `Risultato: ${title}`,
      heading: ({ title }) => `Valutazione di «${title}»`,
      paragraphs: ({ title, score }) => [
        `Le risposte date in «${title}» sono state valutate.`,
        score === null ? "L’attività è ora completata." : `Punteggio: ${score}. L’attività è ora completata.`,
      ],
      action: () => "Vedi il risultato",
      item: ({ title, score }) => (score === null ? `${title}: completato` : `${title}: ${score}`),
    },
    ja: {
      subject: ({ title }) => `結果のお知らせ：${title}`,
      heading: ({ title }) => `「${title}」の採点が完了しました`,
      paragraphs: ({ title, score }) => [
        `「${title}」の解答が採点されました。`,
        score === null ? "これで修了となります。" : `得点は${score}です。これで修了となります。`,
      ],
      action: () => "結果を見る",
      item: ({ title, score }) => (score === null ? `${title}：修了` : `${title}：${score}`),
    },
    nl: {
      subject: ({ title }) => `Je resultaat: ${title}`,
      heading: ({ title }) => `‘${title}’ is beoordeeld`,
      paragraphs: ({ title, score }) => [
        `Je antwoorden in ‘${title}’ zijn beoordeeld.`,
        score === null
          ? "Je hebt het hiermee afgerond."
          : `Je score: ${score}. Je hebt het hiermee afgerond.`,
      ],
      action: () => "Resultaat bekijken",
      item: ({ title, score }) => (score === null ? `${title}: afgerond` : `${title}: ${score}`),
    },
    pt: {
      subject: ({ title }) => `Seu resultado: ${title}`,
      heading: ({ title }) => `Avaliação concluída: “${title}”`,
      paragraphs: ({ title, score }) => [
        `Suas respostas em “${title}” foram avaliadas.`,
        score === null
          ? "Com isso, você concluiu a atividade."
          : `Sua pontuação: ${score}. Com isso, você concluiu a atividade.`,
      ],
      action: () => "Ver o resultado",
      item: ({ title, score }) => (score === null ? `${title}: concluído` : `${title}: ${score}`),
    },
    ru: {
      subject: ({ title }) => `Ваш результат: ${title}`,
      heading: ({ title }) => `«${title}»: ответы проверены`,
      paragraphs: ({ title, score }) => [
        `Ваши ответы в «${title}» проверены.`,
        score === null ? "Задание выполнено." : `Ваш результат: ${score}. Задание выполнено.`,
      ],
      action: () => "Посмотреть результат",
      item: ({ title, score }) => (score === null ? `${title}: выполнено` : `${title}: ${score}`),
    },
    sv: {
      subject: ({ title }) => `Ditt resultat: ${title}`,
      heading: ({ title }) => `Dina svar i ”${title}” är rättade`,
      paragraphs: ({ title, score }) => [
        `Dina svar i ”${title}” har rättats.`,
        score === null
          ? "Du har därmed slutfört det."
          : `Ditt resultat: ${score}. Du har därmed slutfört det.`,
      ],
      action: () => "Visa resultatet",
      item: ({ title, score }) => (score === null ? `${title}: slutfört` : `${title}: ${score}`),
    },
    "zh-CN": {
      subject: ({ title }) => `您的成绩：${title}`,
      heading: ({ title }) => `“${title}”已评分`,
      paragraphs: ({ title, score }) => [
        `您在“${title}”中的作答已评分。`,
        score === null ? "您已完成此任务。" : `您的成绩：${score}。您已完成此任务。`,
      ],
      action: () => "查看成绩",
      item: ({ title, score }) => (score === null ? `${title}：已完成` : `${title}：${score}`),
    },
  },
};
