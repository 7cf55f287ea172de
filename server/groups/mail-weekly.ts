import { plural } from "../mail/rendering/plural.ts";
import type { MailKind, MailSection, MailText } from "../mail/text.ts";
import type { Locale } from "../users/schema.ts";

/** How one group of a manager does. */
export interface WeeklyGroup {
  readonly name: string;
  readonly members: number;
  /** Assignments that members completed within the past week. */
  readonly completed: number;
  /** Assignments of members that are overdue now. */
  readonly overdue: number;
}

export interface WeeklyFacts {
  readonly groups: readonly WeeklyGroup[];
}

interface WeeklyText extends MailText<WeeklyFacts> {
  readonly groupLines: (group: WeeklyGroup) => readonly string[];
}

/** Gives one group's section of the mail: its name, and a line for each of its numbers. */
export function groupSection(locale: Locale, group: WeeklyGroup): MailSection {
  const lines = weeklyMail.texts[locale].groupLines(group);
  return { heading: group.name, items: lines.map((text) => ({ text, url: null })) };
}

/** Tells a manager once a week how their groups do. */
export const weeklyMail: MailKind<WeeklyFacts> & { readonly texts: Readonly<Record<Locale, WeeklyText>> } = {
  kind: "weekly",
  category: "team",
  texts: {
    ar: {
      subject: () => "مجموعاتك في الأسبوع الماضي",
      heading: () => "مجموعاتك في الأسبوع الماضي",
      paragraphs: () => ["إليك ما أُنجز في مجموعاتك خلال الأسبوع الماضي، وما تأخر عن موعده."],
      action: () => "عرض المجموعات",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("ar", members, {
          zero: "لا أعضاء",
          one: "عضو واحد",
          two: "عضوان",
          few: "{n} أعضاء",
          many: "{n} عضوًا",
          other: "{n} عضو",
        }),
        plural("ar", completed, {
          zero: "لم تكتمل أي مهمة خلال الأسبوع الماضي",
          one: "اكتملت مهمة واحدة خلال الأسبوع الماضي",
          two: "اكتملت مهمتان خلال الأسبوع الماضي",
          few: "اكتملت {n} مهام خلال الأسبوع الماضي",
          other: "اكتملت {n} مهمة خلال الأسبوع الماضي",
        }),
        plural("ar", overdue, {
          zero: "لا مهام متأخرة الآن",
          one: "مهمة واحدة متأخرة الآن",
          two: "مهمتان متأخرتان الآن",
          few: "{n} مهام متأخرة الآن",
          other: "{n} مهمة متأخرة الآن",
        }),
      ],
    },
    de: {
      subject: () => "Ihre Gruppen in der vergangenen Woche",
      heading: () => "Ihre Gruppen in der vergangenen Woche",
      paragraphs: () => [
        "Das wurde in der vergangenen Woche in Ihren Gruppen abgeschlossen, und das ist überfällig.",
      ],
      action: () => "Gruppen ansehen",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("de", members, { one: "{n} Mitglied", other: "{n} Mitglieder" }),
        plural("de", completed, {
          one: "{n} Zuweisung in der vergangenen Woche abgeschlossen",
          other: "{n} Zuweisungen in der vergangenen Woche abgeschlossen",
        }),
        plural("de", overdue, {
          one: "{n} Zuweisung jetzt überfällig",
          other: "{n} Zuweisungen jetzt überfällig",
        }),
      ],
    },
    en: {
      subject: () => "Your groups last week",
      heading: () => "Your groups last week",
      paragraphs: () => ["This is what your groups completed in the past week, and what is overdue."],
      action: () => "View your groups",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("en", members, { one: "{n} member", other: "{n} members" }),
        plural("en", completed, {
          one: "{n} assignment completed in the past week",
          other: "{n} assignments completed in the past week",
        }),
        plural("en", overdue, { one: "{n} assignment overdue now", other: "{n} assignments overdue now" }),
      ],
    },
    es: {
      subject: () => "Sus grupos la semana pasada",
      heading: () => "Sus grupos la semana pasada",
      paragraphs: () => [
        "Esto es lo que sus grupos completaron en la última semana y lo que está fuera de plazo.",
      ],
      action: () => "Ver los grupos",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("es", members, { one: "{n} miembro", other: "{n} miembros" }),
        plural("es", completed, {
          one: "{n} asignación completada en la última semana",
          other: "{n} asignaciones completadas en la última semana",
        }),
        plural("es", overdue, {
          one: "{n} asignación fuera de plazo",
          other: "{n} asignaciones fuera de plazo",
        }),
      ],
    },
    fr: {
      subject: () => "Vos groupes la semaine dernière",
      heading: () => "Vos groupes la semaine dernière",
      paragraphs: () => [
        "Voici ce que vos groupes ont terminé au cours de la semaine écoulée, et ce qui est en retard.",
      ],
      action: () => "Voir mes groupes",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("fr", members, { one: "{n} membre", other: "{n} membres" }),
        plural("fr", completed, {
          one: "{n} attribution terminée la semaine dernière",
          other: "{n} attributions terminées la semaine dernière",
        }),
        plural("fr", overdue, { one: "{n} attribution en retard", other: "{n} attributions en retard" }),
      ],
    },
    it: {
      subject: () => "I gruppi nella settimana scorsa",
      heading: () => "I gruppi nella settimana scorsa",
      paragraphs: () => [
        "Ecco che cosa è stato completato nei gruppi nell’ultima settimana e che cosa è in ritardo.",
      ],
      action: () => "Vedi i gruppi",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("it", members, { one: "{n} membro", other: "{n} membri" }),
        plural("it", completed, {
          one: "{n} assegnazione completata nell’ultima settimana",
          other: "{n} assegnazioni completate nell’ultima settimana",
        }),
        plural("it", overdue, { one: "{n} assegnazione in ritardo", other: "{n} assegnazioni in ritardo" }),
      ],
    },
    ja: {
      subject: () => "先週のグループの状況",
      heading: () => "先週のグループの状況",
      paragraphs: () => ["この1週間にグループで修了したものと、期限を過ぎているものをお知らせします。"],
      action: () => "グループを見る",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("ja", members, { other: "メンバー：{n}人" }),
        plural("ja", completed, { other: "この1週間の修了：{n}件" }),
        plural("ja", overdue, { other: "現在の期限切れ：{n}件" }),
      ],
    },
    nl: {
      subject: () => "Je groepen vorige week",
      heading: () => "Je groepen vorige week",
      paragraphs: () => ["Dit hebben je groepen de afgelopen week afgerond, en dit is over de deadline."],
      action: () => "Groepen bekijken",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("nl", members, { one: "{n} lid", other: "{n} leden" }),
        plural("nl", completed, {
          one: "{n} toewijzing afgerond in de afgelopen week",
          other: "{n} toewijzingen afgerond in de afgelopen week",
        }),
        plural("nl", overdue, {
          one: "{n} toewijzing over de deadline",
          other: "{n} toewijzingen over de deadline",
        }),
      ],
    },
    pt: {
      subject: () => "Seus grupos na semana passada",
      heading: () => "Seus grupos na semana passada",
      paragraphs: () => ["Veja o que seus grupos concluíram na última semana e o que está em atraso."],
      action: () => "Ver os grupos",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("pt", members, { one: "{n} membro", other: "{n} membros" }),
        plural("pt", completed, {
          one: "{n} atividade concluída na última semana",
          other: "{n} atividades concluídas na última semana",
        }),
        plural("pt", overdue, { one: "{n} atividade em atraso", other: "{n} atividades em atraso" }),
      ],
    },
    ru: {
      subject: () => "Ваши группы за прошлую неделю",
      heading: () => "Ваши группы за прошлую неделю",
      paragraphs: () => ["Что ваши группы выполнили за прошедшую неделю и что сейчас просрочено."],
      action: () => "Открыть группы",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("ru", members, {
          one: "{n} участник",
          few: "{n} участника",
          many: "{n} участников",
          other: "{n} участника",
        }),
        plural("ru", completed, {
          one: "За прошлую неделю выполнено {n} задание",
          few: "За прошлую неделю выполнено {n} задания",
          many: "За прошлую неделю выполнено {n} заданий",
          other: "За прошлую неделю выполнено {n} задания",
        }),
        plural("ru", overdue, {
          one: "Сейчас просрочено {n} задание",
          few: "Сейчас просрочено {n} задания",
          many: "Сейчас просрочено {n} заданий",
          other: "Сейчас просрочено {n} задания",
        }),
      ],
    },
    sv: {
      subject: () => "Dina grupper förra veckan",
      heading: () => "Dina grupper förra veckan",
      paragraphs: () => ["Det här har dina grupper slutfört den senaste veckan, och det här är försenat."],
      action: () => "Visa grupperna",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("sv", members, { one: "{n} medlem", other: "{n} medlemmar" }),
        plural("sv", completed, {
          one: "{n} tilldelning slutförd den senaste veckan",
          other: "{n} tilldelningar slutförda den senaste veckan",
        }),
        plural("sv", overdue, { one: "{n} tilldelning försenad", other: "{n} tilldelningar försenade" }),
      ],
    },
    "zh-CN": {
      subject: () => "您的小组上周概况",
      heading: () => "您的小组上周概况",
      paragraphs: () => ["以下是您的小组在过去一周完成的学习任务，以及目前逾期的任务。"],
      action: () => "查看小组",
      item: null,
      groupLines: ({ members, completed, overdue }) => [
        plural("zh-CN", members, { other: "{n} 名成员" }),
        plural("zh-CN", completed, { other: "过去一周完成 {n} 项任务" }),
        plural("zh-CN", overdue, { other: "当前逾期 {n} 项任务" }),
      ],
    },
  },
};
