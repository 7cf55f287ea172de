import type { MailKind } from "../mail/text.ts";

export interface NewVersionFacts {
  readonly title: string;
}

/** Tells who has a lesson or path open that its author has published a new version. */
export const newVersionMail: MailKind<NewVersionFacts> = {
  kind: "new_version",
  category: "assignments",
  texts: {
    ar: {
      subject: ({ title }) => `إصدار جديد: ${title}`,
      heading: ({ title }) => `إصدار جديد من «${title}»`,
      paragraphs: ({ title }) => [
        `نُشر إصدار جديد من «${title}»، وهو من المحتوى المُسند إليك.`,
        "إذا كنت قد بدأت، فيمكنك المتابعة من حيث توقفت.",
      ],
      action: () => "فتح المحتوى",
      item: ({ title }) => `${title} (إصدار جديد)`,
    },
    de: {
      subject: ({ title }) => `Neue Fassung: ${title}`,
      heading: ({ title }) => `Neue Fassung von „${title}“`,
      paragraphs: ({ title }) => [
        `Von „${title}“, das Ihnen zugewiesen ist, wurde eine neue Fassung veröffentlicht.`,
        "Haben Sie schon begonnen, machen Sie dort weiter, wo Sie waren.",
      ],
      action: () => "Jetzt öffnen",
      item: ({ title }) => `${title} (neue Fassung)`,
    },
    en: {
      subject: ({ title }) => `New version: ${title}`,
      heading: ({ title }) => `A new version of “${title}”`,
      paragraphs: ({ title }) => [
        `A new version of “${title}”, which is assigned to you, has been published.`,
        "If you have already started, you will continue where you left off.",
      ],
      action: () => "Open it",
      item: ({ title }) => `${title} (new version)`,
    },
    es: {
      subject: ({ title }) => `Nueva versión: ${title}`,
      heading: ({ title }) => `Nueva versión de «${title}»`,
      paragraphs: ({ title }) => [
        `Se ha publicado una nueva versión de «${title}», que tiene asignado.`,
        "Si ya ha empezado, puede continuar donde lo dejó.",
      ],
      action: () => "Abrir el contenido",
      item: ({ title }) => `${title} (nueva versión)`,
    },
    fr: {
      subject: ({ title }) => `Nouvelle version\u00a0: ${title}`,
      heading: ({ title }) => `Nouvelle version de «\u00a0${title}\u00a0»`,
      paragraphs: ({ title }) => [
        `Une nouvelle version de «\u00a0${title}\u00a0», qui vous est attribué, vient d’être publiée.`,
        "Si vous avez déjà commencé, vous reprendrez là où vous en étiez.",
      ],
      action: () => "Ouvrir le contenu",
      item: ({ title }) => `${title} (nouvelle version)`,
    },
    it: {
      subject: ({ title }) => `Versione aggiornata: ${title}`,
      heading: ({ title }) => `Versione aggiornata di «${title}»`,
      paragraphs: ({ title }) => [
        `È stata pubblicata una nuova versione di «${title}», tra le attività assegnate.`,
        "Chi ha già iniziato può riprendere da dove si era fermato.",
      ],
      action: () => "Apri il contenuto",
      item: ({ title }) => `${title} (versione aggiornata)`,
    },
    ja: {
      subject: ({ title }) => `新しいバージョン：${title}`,
      heading: ({ title }) => `「${title}」の新しいバージョン`,
      paragraphs: ({ title }) => [
        `割り当てられている「${title}」の新しいバージョンが公開されました。`,
        "すでに始めている場合は、中断したところから続けられます。",
      ],
      action: () => "内容を開く",
      item: ({ title }) => `${title}（新しいバージョン）`,
    },
    nl: {
      subject: ({ title }) => `Nieuwe versie: ${title}`,
      heading: ({ title }) => `Nieuwe versie van ‘${title}’`,
      paragraphs: ({ title }) => [
        `Er is een nieuwe versie van ‘${title}’, dat aan je is toegewezen.`,
        "Ben je al begonnen, dan ga je verder waar je was.",
      ],
      action: () => "Nu openen",
      item: ({ title }) => `${title} (nieuwe versie)`,
    },
    pt: {
      subject: ({ title }) => `Nova versão: ${title}`,
      heading: ({ title }) => `Nova versão de “${title}”`,
      paragraphs: ({ title }) => [
        `Foi publicada uma nova versão de “${title}”, que está entre as suas atividades.`,
        "Se você já começou, continue de onde parou.",
      ],
      action: () => "Abrir o conteúdo",
      item: ({ title }) => `${title} (nova versão)`,
    },
    ru: {
      subject: ({ title }) => `Новая версия: ${title}`,
      heading: ({ title }) => `Новая версия: «${title}»`,
      paragraphs: ({ title }) => [
        `Опубликована новая версия назначенного вам задания «${title}».`,
        "Если вы уже начали, то продолжите с того места, где остановились.",
      ],
      action: () => "Открыть задание",
      item: ({ title }) => `${title} (новая версия)`,
    },
    sv: {
      subject: ({ title }) => `Ny version: ${title}`,
      heading: ({ title }) => `Ny version av ”${title}”`,
      paragraphs: ({ title }) => [
        `En ny version av ”${title}”, som du har tilldelats, har publicerats.`,
        "Har du redan börjat fortsätter du där du var.",
      ],
      action: () => "Öppna innehållet",
      item: ({ title }) => `${title} (ny version)`,
    },
    "zh-CN": {
      subject: ({ title }) => `新版本：${title}`,
      heading: ({ title }) => `“${title}”有新版本`,
      paragraphs: ({ title }) => [
        `您的学习任务“${title}”发布了新版本。`,
        "如果您已经开始学习，可以从上次的位置继续。",
      ],
      action: () => "打开内容",
      item: ({ title }) => `${title}（新版本）`,
    },
  },
};
