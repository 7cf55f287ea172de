import type { Locale } from "../users/schema.ts";
import type { mailCategories } from "./text.ts";

/** The words of the page that ends mails; its title and its button are those of a mail's foot. */
export interface UnsubscribeTexts {
  /** Stands before the categories that the button ends. */
  readonly question: (company: string) => string;
  /** Stands before the categories that were ended. */
  readonly done: (company: string) => string;
  /** What goes on. */
  readonly others: string;
  readonly categories: Readonly<Record<(typeof mailCategories)[number], string>>;
}

export const unsubscribeTexts: Readonly<Record<Locale, UnsubscribeTexts>> = {
  ar: {
    question: (company) => `بعد التأكيد لن تصلك من ${company} الرسائل التالية:`,
    done: (company) => `تم. لن تصلك من ${company} بعد الآن الرسائل التالية:`,
    others: "تستمر الرسائل الأخرى كما هي، ويمكنك تغيير اختيارك في أي وقت من ملفك الشخصي.",
    categories: {
      assignments: "المهام الجديدة",
      reminders: "التذكير بالمواعيد",
      results: "النتائج",
      certificates: "الشهادات",
      team: "تقارير مجموعاتك",
      administration: "رسائل الإدارة",
    },
  },
  de: {
    question: (company) => `Diese E-Mails von ${company} erhalten Sie dann nicht mehr:`,
    done: (company) => `Erledigt. Diese E-Mails von ${company} erhalten Sie nicht mehr:`,
    others: "Alle anderen kommen weiterhin. In Ihrem Profil können Sie Ihre Wahl jederzeit ändern.",
    categories: {
      assignments: "Neue Zuweisungen",
      reminders: "Erinnerungen an Fristen",
      results: "Ergebnisse",
      certificates: "Zertifikate",
      team: "Berichte über Ihre Gruppen",
      administration: "Nachrichten für Administratoren",
    },
  },
  en: {
    question: (company) => `You will no longer get these emails from ${company}:`,
    done: (company) => `Done. You will no longer get these emails from ${company}:`,
    others: "You will still get all other emails. You can change your choice in your profile at any time.",
    categories: {
      assignments: "New assignments",
      reminders: "Reminders of due dates",
      results: "Results",
      certificates: "Certificates",
      team: "Reports on your groups",
      administration: "Messages to administrators",
    },
  },
  es: {
    question: (company) => `Dejará de recibir estos correos de ${company}:`,
    done: (company) => `Listo. Ya no recibirá estos correos de ${company}:`,
    others: "Los demás seguirán llegando. Puede cambiar su elección en su perfil en cualquier momento.",
    categories: {
      assignments: "Nuevas asignaciones",
      reminders: "Recordatorios de plazos",
      results: "Resultados",
      certificates: "Certificados",
      team: "Informes de sus grupos",
      administration: "Mensajes para la administración",
    },
  },
  fr: {
    question: (company) => `Vous ne recevrez plus ces e-mails de ${company}\u00a0:`,
    done: (company) => `C’est fait. Vous ne recevez plus ces e-mails de ${company}\u00a0:`,
    others: "Les autres continuent d’arriver. Vous pouvez modifier ce choix à tout moment dans votre profil.",
    categories: {
      assignments: "Nouvelles attributions",
      reminders: "Rappels d’échéance",
      results: "Résultats",
      certificates: "Certificats obtenus ou à renouveler",
      team: "Rapports sur vos groupes",
      administration: "Messages aux administrateurs",
    },
  },
  it: {
    question: (company) => `Queste e-mail di ${company} non arriveranno più:`,
    done: (company) => `Fatto. Queste e-mail di ${company} non arriveranno più:`,
    others:
      "Tutte le altre continueranno ad arrivare. La scelta si può cambiare in ogni momento nel profilo.",
    categories: {
      assignments: "Nuove assegnazioni",
      reminders: "Promemoria delle scadenze",
      results: "Risultati",
      certificates: "Certificati",
      team: "Rapporti sui gruppi",
      administration: "Messaggi per chi amministra",
    },
  },
  ja: {
    question: (company) => `${company}からの次のメールの配信を停止します。`,
    done: (company) => `停止しました。${company}からの次のメールは届かなくなります。`,
    others: "ほかのメールは引き続き届きます。設定はプロフィールでいつでも変更できます。",
    categories: {
      assignments: "新しい割り当て",
      reminders: "期限のお知らせ",
      results: "結果",
      certificates: "修了証",
      team: "グループのレポート",
      administration: "管理者へのお知らせ",
    },
  },
  nl: {
    question: (company) => `Je krijgt deze e-mails van ${company} dan niet meer:`,
    done: (company) => `Gelukt. Je krijgt deze e-mails van ${company} niet meer:`,
    others: "Alle andere blijven komen. In je profiel kun je je keuze altijd wijzigen.",
    categories: {
      assignments: "Nieuwe toewijzingen",
      reminders: "Herinneringen aan deadlines",
      results: "Resultaten",
      certificates: "Certificaten",
      team: "Overzichten van je groepen",
      administration: "Berichten voor beheerders",
    },
  },
  pt: {
    question: (company) => `Você deixará de receber estes e-mails de ${company}:`,
    done: (company) => `Pronto. Você não recebe mais estes e-mails de ${company}:`,
    others: "Os demais continuam chegando. Você pode mudar sua escolha no seu perfil quando quiser.",
    categories: {
      assignments: "Novas atividades",
      reminders: "Lembretes de prazos",
      results: "Resultados",
      certificates: "Certificados",
      team: "Relatórios dos seus grupos",
      administration: "Mensagens para administradores",
    },
  },
  ru: {
    question: (company) =>
      `После подтверждения вы больше не будете получать эти письма (отправитель: ${company}):`,
    done: (company) => `Готово. Вы больше не получаете эти письма (отправитель: ${company}):`,
    others: "Остальные письма будут приходить. Изменить выбор можно в профиле в любое время.",
    categories: {
      assignments: "Новые задания",
      reminders: "Напоминания о сроках",
      results: "Результаты",
      certificates: "Сертификаты",
      team: "Отчёты о ваших группах",
      administration: "Сообщения для администраторов",
    },
  },
  sv: {
    question: (company) => `Du får då inte längre de här mejlen från ${company}:`,
    done: (company) => `Klart. Du får inte längre de här mejlen från ${company}:`,
    others: "Alla andra fortsätter att komma. Du kan ändra ditt val i din profil när som helst.",
    categories: {
      assignments: "Nya tilldelningar",
      reminders: "Påminnelser om slutdatum",
      results: "Resultat",
      certificates: "Certifikat",
      team: "Rapporter om dina grupper",
      administration: "Meddelanden till administratörer",
    },
  },
  "zh-CN": {
    question: (company) => `确认后，您将不再收到来自“${company}”的以下邮件：`,
    done: (company) => `已完成。您不会再收到来自“${company}”的以下邮件：`,
    others: "其他邮件会照常发送。您可以随时在个人资料中更改选择。",
    categories: {
      assignments: "新的学习任务",
      reminders: "截止日期提醒",
      results: "成绩",
      certificates: "证书",
      team: "您的小组报告",
      administration: "管理员消息",
    },
  },
};
