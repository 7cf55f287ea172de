import { plural } from "../mail/rendering/plural.ts";
import type { MailKind } from "../mail/text.ts";

export interface JobDoneFacts {
  /** Rows in all; those that did what they say (or had nothing to change); those that were refused. */
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  /** Those that nothing became of: the job was given up, or is all or nothing and has one that was refused. */
  readonly left: number;
}

/** Tells an administrator that their bulk job has ended, and how. */
export const jobDoneMail: MailKind<JobDoneFacts> = {
  kind: "job_done",
  category: "administration",
  texts: {
    ar: {
      subject: ({ rows }) => `انتهت المهمة الجماعية: ${arabicRows(rows)}`,
      heading: () => "انتهت مهمتك الجماعية",
      paragraphs: ({ rows, done, failed, left }) => [
        `حجم المهمة: ${arabicRows(rows)}.`,
        plural("ar", done, {
          zero: "لم يُنفَّذ أي صف.",
          one: "تم تنفيذ صف واحد.",
          two: "تم تنفيذ صفين.",
          few: "تم تنفيذ {n} صفوف.",
          many: "تم تنفيذ {n} صفًا.",
          other: "تم تنفيذ {n} صف.",
        }),
        plural("ar", failed, {
          zero: "لم يُرفض أي صف.",
          one: "رُفض صف واحد، وسبب ذلك مبيّن في صفحة المهمة.",
          two: "رُفض صفان، وسبب ذلك مبيّن في صفحة المهمة.",
          few: "رُفضت {n} صفوف، وسبب كل منها مبيّن في صفحة المهمة.",
          many: "رُفض {n} صفًا، وسبب كل منها مبيّن في صفحة المهمة.",
          other: "رُفض {n} صف، وسبب كل منها مبيّن في صفحة المهمة.",
        }),
        ...(left === 0
          ? []
          : [
              plural("ar", left, {
                one: "بقي صف واحد دون معالجة، وسبب ذلك مبيّن في صفحة المهمة.",
                two: "بقي صفان دون معالجة، وسبب ذلك مبيّن في صفحة المهمة.",
                few: "بقيت {n} صفوف دون معالجة، وسبب ذلك مبيّن في صفحة المهمة.",
                many: "بقي {n} صفًا دون معالجة، وسبب ذلك مبيّن في صفحة المهمة.",
                other: "بقي {n} صف دون معالجة، وسبب ذلك مبيّن في صفحة المهمة.",
              }),
            ]),
      ],
      action: () => "عرض المهمة",
      item: ({ rows, failed, left }) =>
        `مهمة جماعية: ${arabicRows(rows)}، المرفوض منها: ${plural("ar", failed, { other: "{n}" })}${left === 0 ? "" : plural("ar", left, { other: "، دون معالجة: {n}" })}`,
    },
    de: {
      subject: ({ rows }) =>
        `Auftrag beendet: ${plural("de", rows, { one: "{n} Zeile", other: "{n} Zeilen" })}`,
      heading: () => "Ihr Sammelauftrag ist beendet",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("de", rows, { one: "Der Auftrag hatte {n} Zeile.", other: "Der Auftrag hatte {n} Zeilen." }),
        plural("de", done, { one: "{n} Zeile wurde ausgeführt.", other: "{n} Zeilen wurden ausgeführt." }),
        failed === 0
          ? "Keine Zeile wurde abgelehnt."
          : plural("de", failed, {
              one: "{n} Zeile wurde abgelehnt. Der Auftrag zeigt den Grund.",
              other: "{n} Zeilen wurden abgelehnt. Der Auftrag zeigt zu jeder den Grund.",
            }),
        ...(left === 0
          ? []
          : [
              plural("de", left, {
                one: "{n} Zeile wurde nicht bearbeitet. Der Auftrag zeigt, warum.",
                other: "{n} Zeilen wurden nicht bearbeitet. Der Auftrag zeigt, warum.",
              }),
            ]),
      ],
      action: () => "Auftrag ansehen",
      item: ({ rows, failed, left }) =>
        `Sammelauftrag: ${plural("de", rows, { one: "{n} Zeile", other: "{n} Zeilen" })}, ${plural("de", failed, { other: "{n} abgelehnt" })}${left === 0 ? "" : plural("de", left, { other: ", {n} nicht bearbeitet" })}`,
    },
    en: {
      subject: ({ rows }) => `Job finished: ${plural("en", rows, { one: "{n} row", other: "{n} rows" })}`,
      heading: () => "Your bulk job has finished",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("en", rows, { one: "The job had {n} row.", other: "The job had {n} rows." }),
        plural("en", done, { one: "{n} row was applied.", other: "{n} rows were applied." }),
        failed === 0
          ? "No row was refused."
          : plural("en", failed, {
              one: "{n} row was refused. The job shows the reason.",
              other: "{n} rows were refused. The job shows the reason for each.",
            }),
        ...(left === 0
          ? []
          : [
              plural("en", left, {
                one: "{n} row was not processed. The job shows why.",
                other: "{n} rows were not processed. The job shows why.",
              }),
            ]),
      ],
      action: () => "View the job",
      item: ({ rows, failed, left }) =>
        `Bulk job: ${plural("en", rows, { one: "{n} row", other: "{n} rows" })}, ${plural("en", failed, { other: "{n} refused" })}${left === 0 ? "" : plural("en", left, { other: ", {n} not processed" })}`,
    },
    es: {
      subject: ({ rows }) =>
        `Proceso terminado: ${plural("es", rows, { one: "{n} fila", other: "{n} filas" })}`,
      heading: () => "Su proceso masivo ha terminado",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("es", rows, { one: "El proceso tenía {n} fila.", other: "El proceso tenía {n} filas." }),
        plural("es", done, { one: "Se ha aplicado {n} fila.", other: "Se han aplicado {n} filas." }),
        failed === 0
          ? "No se ha rechazado ninguna fila."
          : plural("es", failed, {
              one: "Se ha rechazado {n} fila. El proceso muestra el motivo.",
              other: "Se han rechazado {n} filas. El proceso muestra el motivo de cada una.",
            }),
        ...(left === 0
          ? []
          : [
              plural("es", left, {
                one: "Ha quedado {n} fila sin procesar. El proceso muestra por qué.",
                other: "Han quedado {n} filas sin procesar. El proceso muestra por qué.",
              }),
            ]),
      ],
      action: () => "Ver el proceso",
      item: ({ rows, failed, left }) =>
        `Proceso masivo: ${plural("es", rows, { one: "{n} fila", other: "{n} filas" })}, ${plural("es", failed, { one: "{n} rechazada", other: "{n} rechazadas" })}${left === 0 ? "" : plural("es", left, { other: ", {n} sin procesar" })}`,
    },
    fr: {
      subject: ({ rows }) =>
        `Traitement terminé\u00a0: ${plural("fr", rows, { one: "{n} ligne", other: "{n} lignes" })}`,
      heading: () => "Votre traitement par lot est terminé",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("fr", rows, {
          one: "Le traitement comptait {n} ligne.",
          other: "Le traitement comptait {n} lignes.",
        }),
        plural("fr", done, { one: "{n} ligne a été appliquée.", other: "{n} lignes ont été appliquées." }),
        failed === 0
          ? "Aucune ligne n’a été refusée."
          : plural("fr", failed, {
              one: "{n} ligne a été refusée. La page du traitement en indique la raison.",
              other: "{n} lignes ont été refusées. La page du traitement indique la raison de chacune.",
            }),
        ...(left === 0
          ? []
          : [
              plural("fr", left, {
                one: "{n} ligne n’a pas été traitée. La page du traitement indique pourquoi.",
                other: "{n} lignes n’ont pas été traitées. La page du traitement indique pourquoi.",
              }),
            ]),
      ],
      action: () => "Voir le traitement",
      item: ({ rows, failed, left }) =>
        `Traitement par lot\u00a0: ${plural("fr", rows, { one: "{n} ligne", other: "{n} lignes" })}, ${plural("fr", failed, { one: "{n} refusée", other: "{n} refusées" })}${left === 0 ? "" : plural("fr", left, { one: ", {n} non traitée", other: ", {n} non traitées" })}`,
    },
    it: {
      subject: ({ rows }) =>
        `Operazione conclusa: ${plural("it", rows, { one: "{n} riga", other: "{n} righe" })}`,
      heading: () => "L’operazione in blocco è conclusa",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("it", rows, {
          one: "L’operazione comprendeva {n} riga.",
          other: "L’operazione comprendeva {n} righe.",
        }),
        plural("it", done, { one: "{n} riga è stata eseguita.", other: "{n} righe sono state eseguite." }),
        failed === 0
          ? "Nessuna riga è stata rifiutata."
          : plural("it", failed, {
              one: "{n} riga è stata rifiutata. La pagina dell’operazione ne indica il motivo.",
              other:
                "{n} righe sono state rifiutate. La pagina dell’operazione indica il motivo di ciascuna.",
            }),
        ...(left === 0
          ? []
          : [
              plural("it", left, {
                one: "{n} riga non è stata elaborata. La pagina dell’operazione indica perché.",
                other: "{n} righe non sono state elaborate. La pagina dell’operazione indica perché.",
              }),
            ]),
      ],
      action: () => "Vedi l’operazione",
      item: ({ rows, failed, left }) =>
        `Operazione in blocco: ${plural("it", rows, { one: "{n} riga", other: "{n} righe" })}, ${plural("it", failed, { one: "{n} rifiutata", other: "{n} rifiutate" })}${left === 0 ? "" : plural("it", left, { one: ", {n} non elaborata", other: ", {n} non elaborate" })}`,
    },
    ja: {
      subject: ({ rows }) => `一括処理が完了しました：${plural("ja", rows, { other: "{n}行" })}`,
      heading: () => "一括処理が完了しました",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("ja", rows, { other: "この処理の対象は{n}行でした。" }),
        plural("ja", done, { other: "{n}行が処理されました。" }),
        failed === 0
          ? "拒否された行はありません。"
          : plural("ja", failed, {
              other: "{n}行が拒否されました。各行の理由は処理の画面でご確認いただけます。",
            }),
        ...(left === 0
          ? []
          : [
              plural("ja", left, {
                other: "{n}行は処理されませんでした。理由は処理の画面でご確認いただけます。",
              }),
            ]),
      ],
      action: () => "処理結果を見る",
      item: ({ rows, failed, left }) =>
        `一括処理：${plural("ja", rows, { other: "{n}行" })}、${plural("ja", failed, { other: "拒否{n}行" })}${left === 0 ? "" : plural("ja", left, { other: "、未処理{n}行" })}`,
    },
    nl: {
      subject: ({ rows }) => `Opdracht klaar: ${plural("nl", rows, { one: "{n} rij", other: "{n} rijen" })}`,
      heading: () => "Je bulkopdracht is klaar",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("nl", rows, { one: "De opdracht had {n} rij.", other: "De opdracht had {n} rijen." }),
        plural("nl", done, { one: "{n} rij is uitgevoerd.", other: "{n} rijen zijn uitgevoerd." }),
        failed === 0
          ? "Er is geen rij geweigerd."
          : plural("nl", failed, {
              one: "{n} rij is geweigerd. Bij de opdracht zie je de reden.",
              other: "{n} rijen zijn geweigerd. Bij de opdracht zie je voor elke rij de reden.",
            }),
        ...(left === 0
          ? []
          : [
              plural("nl", left, {
                one: "{n} rij is niet verwerkt. Bij de opdracht zie je waarom.",
                other: "{n} rijen zijn niet verwerkt. Bij de opdracht zie je waarom.",
              }),
            ]),
      ],
      action: () => "Opdracht bekijken",
      item: ({ rows, failed, left }) =>
        `Bulkopdracht: ${plural("nl", rows, { one: "{n} rij", other: "{n} rijen" })}, ${plural("nl", failed, { other: "{n} geweigerd" })}${left === 0 ? "" : plural("nl", left, { other: ", {n} niet verwerkt" })}`,
    },
    pt: {
      subject: ({ rows }) =>
        `Tarefa concluída: ${plural("pt", rows, { one: "{n} linha", other: "{n} linhas" })}`,
      heading: () => "Sua tarefa em lote foi concluída",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("pt", rows, { one: "A tarefa tinha {n} linha.", other: "A tarefa tinha {n} linhas." }),
        plural("pt", done, { one: "{n} linha foi aplicada.", other: "{n} linhas foram aplicadas." }),
        failed === 0
          ? "Nenhuma linha foi recusada."
          : plural("pt", failed, {
              one: "{n} linha foi recusada. A página da tarefa mostra o motivo.",
              other: "{n} linhas foram recusadas. A página da tarefa mostra o motivo de cada uma.",
            }),
        ...(left === 0
          ? []
          : [
              plural("pt", left, {
                one: "{n} linha não foi processada. A página da tarefa mostra por quê.",
                other: "{n} linhas não foram processadas. A página da tarefa mostra por quê.",
              }),
            ]),
      ],
      action: () => "Ver a tarefa",
      item: ({ rows, failed, left }) =>
        `Tarefa em lote: ${plural("pt", rows, { one: "{n} linha", other: "{n} linhas" })}, ${plural("pt", failed, { one: "{n} recusada", other: "{n} recusadas" })}${left === 0 ? "" : plural("pt", left, { one: ", {n} não processada", other: ", {n} não processadas" })}`,
    },
    ru: {
      subject: ({ rows }) => `Задание завершено: ${russianRows(rows)}`,
      heading: () => "Ваше массовое задание завершено",
      paragraphs: ({ rows, done, failed, left }) => [
        `Размер задания: ${russianRows(rows)}.`,
        plural("ru", done, {
          one: "Выполнена {n} строка.",
          few: "Выполнены {n} строки.",
          many: "Выполнено {n} строк.",
          other: "Выполнено {n} строки.",
        }),
        failed === 0
          ? "Отклонённых строк нет."
          : plural("ru", failed, {
              one: "Отклонена {n} строка. Причина указана на странице задания.",
              few: "Отклонены {n} строки. Причины указаны на странице задания.",
              many: "Отклонено {n} строк. Причины указаны на странице задания.",
              other: "Отклонено {n} строки. Причины указаны на странице задания.",
            }),
        ...(left === 0
          ? []
          : [
              plural("ru", left, {
                one: "Не обработана {n} строка. Причина указана на странице задания.",
                few: "Не обработаны {n} строки. Причина указана на странице задания.",
                many: "Не обработано {n} строк. Причина указана на странице задания.",
                other: "Не обработано {n} строки. Причина указана на странице задания.",
              }),
            ]),
      ],
      action: () => "Открыть задание",
      item: ({ rows, failed, left }) =>
        `Массовое задание: ${russianRows(rows)}, ${plural("ru", failed, { one: "отклонена {n}", few: "отклонены {n}", other: "отклонено {n}" })}${left === 0 ? "" : plural("ru", left, { one: ", не обработана {n}", few: ", не обработаны {n}", other: ", не обработано {n}" })}`,
    },
    sv: {
      subject: ({ rows }) => `Jobbet är klart: ${plural("sv", rows, { one: "{n} rad", other: "{n} rader" })}`,
      heading: () => "Ditt massjobb är klart",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("sv", rows, { one: "Jobbet hade {n} rad.", other: "Jobbet hade {n} rader." }),
        plural("sv", done, { one: "{n} rad utfördes.", other: "{n} rader utfördes." }),
        failed === 0
          ? "Ingen rad avvisades."
          : plural("sv", failed, {
              one: "{n} rad avvisades. Orsaken visas på jobbets sida.",
              other: "{n} rader avvisades. Orsaken till varje rad visas på jobbets sida.",
            }),
        ...(left === 0
          ? []
          : [
              plural("sv", left, {
                one: "{n} rad bearbetades inte. Orsaken visas på jobbets sida.",
                other: "{n} rader bearbetades inte. Orsaken visas på jobbets sida.",
              }),
            ]),
      ],
      action: () => "Visa jobbet",
      item: ({ rows, failed, left }) =>
        `Massjobb: ${plural("sv", rows, { one: "{n} rad", other: "{n} rader" })}, ${plural("sv", failed, { one: "{n} avvisad", other: "{n} avvisade" })}${left === 0 ? "" : plural("sv", left, { one: ", {n} inte bearbetad", other: ", {n} inte bearbetade" })}`,
    },
    "zh-CN": {
      subject: ({ rows }) => `批量任务已完成：${plural("zh-CN", rows, { other: "{n} 行" })}`,
      heading: () => "您的批量任务已完成",
      paragraphs: ({ rows, done, failed, left }) => [
        plural("zh-CN", rows, { other: "该任务共 {n} 行。" }),
        plural("zh-CN", done, { other: "已成功处理 {n} 行。" }),
        failed === 0
          ? "没有被拒绝的行。"
          : plural("zh-CN", failed, { other: "{n} 行被拒绝，任务页面列出了每一行的原因。" }),
        ...(left === 0 ? [] : [plural("zh-CN", left, { other: "{n} 行未处理，任务页面列出了原因。" })]),
      ],
      action: () => "查看任务",
      item: ({ rows, failed, left }) =>
        `批量任务：${plural("zh-CN", rows, { other: "{n} 行" })}，${plural("zh-CN", failed, { other: "{n} 行被拒绝" })}${left === 0 ? "" : plural("zh-CN", left, { other: "，{n} 行未处理" })}`,
    },
  },
};

function arabicRows(n: number): string {
  return plural("ar", n, {
    zero: "بلا صفوف",
    one: "صف واحد",
    two: "صفان",
    few: "{n} صفوف",
    many: "{n} صفًا",
    other: "{n} صف",
  });
}

function russianRows(n: number): string {
  return plural("ru", n, { one: "{n} строка", few: "{n} строки", many: "{n} строк", other: "{n} строки" });
}
