import type { MailKind } from "../mail/text.ts";

export interface RetakeFacts {
  readonly title: string;
  /** As they are read: "60 %". */
  readonly score: string;
  readonly pass_mark: string;
}

/** Tells a person that they stayed below the pass mark and can try again. */
export const retakeMail: MailKind<RetakeFacts> = {
  kind: "retake",
  category: "results",
  texts: {
    ar: {
      subject: ({ title }) => `محاولة جديدة: ${title}`,
      heading: ({ title }) => `محاولة جديدة في «${title}»`,
      paragraphs: ({ title, score, pass_mark }) => [
        `نتيجتك في «${title}» هي ${score}، ودرجة النجاح هي ${pass_mark}.`,
        "يمكنك مراجعة المحتوى على مهل ثم إعادة المحاولة.",
      ],
      action: () => "إعادة المحاولة",
      item: ({ title, score, pass_mark }) => `${title}: ${score} (درجة النجاح ${pass_mark})، تُرجى الإعادة`,
    },
    de: {
      subject: ({ title }) => `Bitte wiederholen: ${title}`,
      heading: ({ title }) => `Ein neuer Versuch für „${title}“`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Ihr Ergebnis in „${title}“ ist ${score}. Zum Bestehen sind ${pass_mark} nötig.`,
        "Sehen Sie sich den Stoff in Ruhe noch einmal an und versuchen Sie es dann erneut.",
      ],
      action: () => "Erneut versuchen",
      item: ({ title, score, pass_mark }) => `${title}: ${score}, nötig sind ${pass_mark}; bitte wiederholen`,
    },
    en: {
      subject: ({ title }) => `Please try again: ${title}`,
      heading: ({ title }) => `Another try at “${title}”`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Your score in “${title}” is ${score}. The pass mark is ${pass_mark}.`,
        "Take another look at the material, and try again when you are ready.",
      ],
      action: () => "Try again",
      item: ({ title, score, pass_mark }) => `${title}: ${score} (pass mark ${pass_mark}), please try again`,
    },
    es: {
      subject: ({ title }) => `Nuevo intento: ${title}`,
      heading: ({ title }) => `Un nuevo intento en «${title}»`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Su puntuación en «${title}» es de ${score}. El mínimo para aprobar es de ${pass_mark}.`,
        "Repase el contenido con calma y vuelva a intentarlo cuando quiera.",
      ],
      action: () => "Volver a intentarlo",
      item: ({ title, score, pass_mark }) =>
        `${title}: ${score} (para aprobar: ${pass_mark}), conviene repetirlo`,
    },
    fr: {
      subject: ({ title }) => `À repasser\u00a0: ${title}`,
      heading: ({ title }) => `Un nouvel essai pour «\u00a0${title}\u00a0»`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Votre score dans «\u00a0${title}\u00a0» est de ${score}. Le seuil de réussite est de ${pass_mark}.`,
        "Revoyez le contenu tranquillement, puis réessayez quand vous le souhaitez.",
      ],
      action: () => "Réessayer",
      item: ({ title, score, pass_mark }) =>
        `${title}\u00a0: ${score} (seuil de réussite\u00a0: ${pass_mark}), à repasser`,
    },
    it: {
      subject: ({ title }) => `Da ripetere: ${title}`,
      heading: ({ title }) => `Un nuovo tentativo per «${title}»`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Punteggio ottenuto in «${title}»: ${score}. Soglia da raggiungere: ${pass_mark}.`,
        "Dopo un ripasso dei contenuti, si può riprovare in qualsiasi momento.",
      ],
      action: () => "Riprova",
      item: ({ title, score, pass_mark }) => `${title}: ${score} (soglia: ${pass_mark}), da ripetere`,
    },
    ja: {
      subject: ({ title }) => `再受講のお願い：${title}`,
      heading: ({ title }) => `「${title}」にもう一度取り組みましょう`,
      paragraphs: ({ title, score, pass_mark }) => [
        `「${title}」の得点は${score}でした。合格点は${pass_mark}です。`,
        "内容を見直して、準備ができましたらもう一度お試しください。",
      ],
      action: () => "もう一度受ける",
      item: ({ title, score, pass_mark }) => `${title}：${score}（合格点：${pass_mark}）、要再受講`,
    },
    nl: {
      subject: ({ title }) => `Probeer het opnieuw: ${title}`,
      heading: ({ title }) => `Een nieuwe poging voor ‘${title}’`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Je score voor ‘${title}’ is ${score}. Om te slagen heb je ${pass_mark} nodig.`,
        "Neem de stof rustig nog eens door en probeer het daarna opnieuw.",
      ],
      action: () => "Opnieuw proberen",
      item: ({ title, score, pass_mark }) => `${title}: ${score} (nodig: ${pass_mark}), probeer het opnieuw`,
    },
    pt: {
      subject: ({ title }) => `Tente novamente: ${title}`,
      heading: ({ title }) => `Uma nova tentativa em “${title}”`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Sua pontuação em “${title}” foi ${score}. A nota mínima é ${pass_mark}.`,
        "Reveja o conteúdo com calma e tente novamente quando quiser.",
      ],
      action: () => "Tentar novamente",
      item: ({ title, score, pass_mark }) =>
        `${title}: ${score} (nota mínima: ${pass_mark}), tente novamente`,
    },
    ru: {
      subject: ({ title }) => `Попробуйте ещё раз: ${title}`,
      heading: ({ title }) => `Новая попытка: «${title}»`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Ваш результат в «${title}» — ${score}. Проходной балл — ${pass_mark}.`,
        "Спокойно повторите материал и попробуйте ещё раз, когда будете готовы.",
      ],
      action: () => "Попробовать ещё раз",
      item: ({ title, score, pass_mark }) =>
        `${title}: ${score} (проходной балл — ${pass_mark}), нужна новая попытка`,
    },
    sv: {
      subject: ({ title }) => `Försök igen: ${title}`,
      heading: ({ title }) => `Ett nytt försök på ”${title}”`,
      paragraphs: ({ title, score, pass_mark }) => [
        `Ditt resultat i ”${title}” är ${score}. Gränsen för godkänt är ${pass_mark}.`,
        "Gå igenom innehållet i lugn och ro och försök igen när du är redo.",
      ],
      action: () => "Försök igen",
      item: ({ title, score, pass_mark }) =>
        `${title}: ${score} (gräns för godkänt: ${pass_mark}), försök igen`,
    },
    "zh-CN": {
      subject: ({ title }) => `请重新学习：${title}`,
      heading: ({ title }) => `“${title}”可以再试一次`,
      paragraphs: ({ title, score, pass_mark }) => [
        `您在“${title}”中的成绩为 ${score}，及格标准为 ${pass_mark}。`,
        "请再看一遍学习内容，准备好后即可重新尝试。",
      ],
      action: () => "再试一次",
      item: ({ title, score, pass_mark }) => `${title}：${score}（及格标准：${pass_mark}），请再试一次`,
    },
  },
};
