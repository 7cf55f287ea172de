import type { MailKind } from "../mail/text.ts";

export interface AccountCreatedFacts {
  readonly company_name: string;
  /** The date and time until which the link that sets a first password works; null where it leads to the sign-in. */
  readonly valid_until: string | null;
}

/** Tells a person that they have an account. The words hold with a password and with the company's own sign-in. */
export const accountCreatedMail: MailKind<AccountCreatedFacts> = {
  kind: "account_created",
  category: "required",
  texts: {
    ar: {
      subject: ({ company_name }) => `حسابك لدى ${company_name}`,
      heading: () => "حسابك جاهز",
      paragraphs: ({ company_name, valid_until }) => [
        `تم إنشاء حساب تعليمي لك لدى ${company_name}.`,
        "يمكنك فتح الحساب للاطلاع على ما أُعدّ لك من محتوى. وإذا كانت هناك حاجة إلى كلمة مرور، فسيُطلب منك اختيارها هناك.",
        ...(valid_until === null
          ? []
          : [`الرابط صالح حتى ${valid_until}. وبعد ذلك يمكن طلب دعوة من الإدارة.`]),
      ],
      action: () => "فتح الحساب",
      item: null,
    },
    de: {
      subject: ({ company_name }) => `Ihr Konto bei ${company_name}`,
      heading: () => "Ihr Konto ist bereit",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} hat ein Lernkonto für Sie eingerichtet.`,
        "Öffnen Sie es, um zu sehen, was für Sie bereitliegt. Falls Sie ein Passwort brauchen, legen Sie es dort fest.",
        ...(valid_until === null
          ? []
          : [
              `Der Link gilt bis zum ${valid_until}. Danach bitten Sie Ihre Administratoren um eine Einladung.`,
            ]),
      ],
      action: () => "Konto öffnen",
      item: null,
    },
    en: {
      subject: ({ company_name }) => `Your account at ${company_name}`,
      heading: () => "Your account is ready",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} has set up a learning account for you.`,
        "Open it to see what is waiting for you. If you need a password, you can choose it there.",
        ...(valid_until === null
          ? []
          : [
              `The link is valid until ${valid_until}. After that, ask your administrators for an invitation.`,
            ]),
      ],
      action: () => "Open your account",
      item: null,
    },
    es: {
      subject: ({ company_name }) => `Su cuenta en ${company_name}`,
      heading: () => "Su cuenta está lista",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} ha creado una cuenta de formación para usted.`,
        "Ábrala para ver lo que le espera. Si necesita una contraseña, podrá elegirla allí.",
        ...(valid_until === null
          ? []
          : [
              `El enlace es válido hasta el ${valid_until}. Después, pida una invitación a la administración.`,
            ]),
      ],
      action: () => "Abrir la cuenta",
      item: null,
    },
    fr: {
      subject: ({ company_name }) => `Votre compte chez ${company_name}`,
      heading: () => "Votre compte est prêt",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} a créé un compte de formation pour vous.`,
        "Ouvrez-le pour découvrir ce qui vous y attend. S’il vous faut un mot de passe, vous le choisirez à ce moment-là.",
        ...(valid_until === null
          ? []
          : [
              `Le lien est valable jusqu’au ${valid_until}. Ensuite, demandez une invitation à l’administration.`,
            ]),
      ],
      action: () => "Ouvrir mon compte",
      item: null,
    },
    it: {
      subject: ({ company_name }) => `Nuovo account presso ${company_name}`,
      heading: () => "L’account è pronto",
      paragraphs: ({ company_name, valid_until }) => [
        `È stato creato un account di formazione presso ${company_name}.`,
        "Lì si trovano i contenuti già predisposti. Se serve una password, la si potrà scegliere in quel momento.",
        ...(valid_until === null
          ? []
          : [`Scadenza del link: ${valid_until}. In seguito si può chiedere un invito all’amministrazione.`]),
      ],
      action: () => "Apri l’account",
      item: null,
    },
    ja: {
      subject: ({ company_name }) => `アカウントのご案内：${company_name}`,
      heading: () => "アカウントの準備ができました",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name}で、学習用アカウントが作成されました。`,
        "アカウントを開いて、用意された内容をご確認ください。パスワードが必要な場合は、そこで設定できます。",
        ...(valid_until === null
          ? []
          : [`リンクの有効期限は${valid_until}です。期限が過ぎた場合は、管理者に招待を依頼してください。`]),
      ],
      action: () => "アカウントを開く",
      item: null,
    },
    nl: {
      subject: ({ company_name }) => `Je account bij ${company_name}`,
      heading: () => "Je account staat klaar",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} heeft een leeraccount voor je aangemaakt.`,
        "Open het om te zien wat er voor je klaarstaat. Heb je een wachtwoord nodig, dan kies je het daar.",
        ...(valid_until === null
          ? []
          : [`De link is geldig tot ${valid_until}. Vraag je beheerders daarna om een uitnodiging.`]),
      ],
      action: () => "Account openen",
      item: null,
    },
    pt: {
      subject: ({ company_name }) => `Sua conta em ${company_name}`,
      heading: () => "Sua conta está pronta",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} criou uma conta de aprendizagem para você.`,
        "Abra a conta para ver o que já está disponível. Se precisar de uma senha, você poderá escolhê-la ali mesmo.",
        ...(valid_until === null
          ? []
          : [`O link é válido até ${valid_until}. Depois disso, peça um convite à administração.`]),
      ],
      action: () => "Abrir a conta",
      item: null,
    },
    ru: {
      subject: ({ company_name }) => `Ваша учётная запись: ${company_name}`,
      heading: () => "Ваша учётная запись готова",
      paragraphs: ({ company_name, valid_until }) => [
        `Для вас создана учётная запись на учебной платформе ${company_name}.`,
        "Откройте её, чтобы увидеть, что для вас подготовлено. Если понадобится пароль, вы зададите его там же.",
        ...(valid_until === null
          ? []
          : [
              `Ссылка действует до указанного времени: ${valid_until}. После этого попросите у администраторов приглашение.`,
            ]),
      ],
      action: () => "Открыть учётную запись",
      item: null,
    },
    sv: {
      subject: ({ company_name }) => `Ditt konto hos ${company_name}`,
      heading: () => "Ditt konto är klart",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} har skapat ett utbildningskonto åt dig.`,
        "Öppna det för att se vad som väntar. Om du behöver ett lösenord väljer du det där.",
        ...(valid_until === null
          ? []
          : [`Länken gäller till ${valid_until}. Be därefter en administratör om en inbjudan.`]),
      ],
      action: () => "Öppna kontot",
      item: null,
    },
    "zh-CN": {
      subject: ({ company_name }) => `您的学习账号：${company_name}`,
      heading: () => "您的账号已开通",
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} 已为您创建学习账号。`,
        "请打开账号，查看为您准备的内容。如需密码，届时即可设置。",
        ...(valid_until === null ? [] : [`链接有效期至 ${valid_until}。过期后，请联系管理员发送邀请。`]),
      ],
      action: () => "打开账号",
      item: null,
    },
  },
};
