import type { MailKind } from "../mail/text.ts";

export interface InvitationFacts {
  readonly company_name: string;
  /** The date and time until which the link works. */
  readonly valid_until: string;
}

/** Invites a person to choose the first password of their account. */
export const invitationMail: MailKind<InvitationFacts> = {
  kind: "invitation",
  category: "required",
  texts: {
    ar: {
      subject: ({ company_name }) => `دعوة من ${company_name}`,
      heading: ({ company_name }) => `دعوة من ${company_name}`,
      paragraphs: ({ company_name, valid_until }) => [
        `لك حساب على منصة التعلّم لدى ${company_name}. يُرجى اختيار كلمة مرور للبدء.`,
        `الرابط صالح حتى ${valid_until}. وبعد ذلك يمكن طلب دعوة جديدة من الإدارة.`,
        "إذا وصلتك هذه الدعوة من غير أن تتوقعها، فيمكنك تجاهلها.",
      ],
      action: () => "قبول الدعوة",
      item: null,
    },
    de: {
      subject: ({ company_name }) => `Einladung von ${company_name}`,
      heading: ({ company_name }) => `${company_name} lädt Sie ein`,
      paragraphs: ({ company_name, valid_until }) => [
        `Auf der Lernplattform von ${company_name} gibt es ein Konto für Sie. Wählen Sie ein Passwort, um zu beginnen.`,
        `Der Link gilt bis zum ${valid_until}. Danach bitten Sie Ihre Administratoren um eine neue Einladung.`,
        "Wenn Sie diese Einladung nicht erwartet haben, brauchen Sie nichts zu tun.",
      ],
      action: () => "Einladung annehmen",
      item: null,
    },
    en: {
      subject: ({ company_name }) => `Invitation from ${company_name}`,
      heading: ({ company_name }) => `${company_name} invites you`,
      paragraphs: ({ company_name, valid_until }) => [
        `You have an account on the learning platform of ${company_name}. Choose a password to begin.`,
        `The link is valid until ${valid_until}. After that, ask your administrators for a new invitation.`,
        "If you did not expect this invitation, you can ignore it.",
      ],
      action: () => "Accept the invitation",
      item: null,
    },
    es: {
      subject: ({ company_name }) => `Invitación de ${company_name}`,
      heading: ({ company_name }) => `${company_name} le invita`,
      paragraphs: ({ company_name, valid_until }) => [
        `Tiene una cuenta en la plataforma de formación de ${company_name}. Elija una contraseña para empezar.`,
        `El enlace es válido hasta el ${valid_until}. Después, pida una nueva invitación a la administración.`,
        "Si no esperaba esta invitación, puede ignorarla.",
      ],
      action: () => "Aceptar la invitación",
      item: null,
    },
    fr: {
      subject: ({ company_name }) => `Invitation\u00a0: ${company_name}`,
      heading: ({ company_name }) => `${company_name} vous invite`,
      paragraphs: ({ company_name, valid_until }) => [
        `Un compte vous attend sur la plateforme de formation de ${company_name}. Choisissez un mot de passe pour commencer.`,
        `Le lien est valable jusqu’au ${valid_until}. Ensuite, demandez une nouvelle invitation à l’administration.`,
        "Si vous n’attendiez pas cette invitation, vous pouvez l’ignorer.",
      ],
      action: () => "Accepter l’invitation",
      item: null,
    },
    it: {
      subject: ({ company_name }) => `Invito da ${company_name}`,
      heading: ({ company_name }) => `Un invito da ${company_name}`,
      paragraphs: ({ company_name, valid_until }) => [
        `C’è un nuovo account sulla piattaforma di formazione di ${company_name}. Per iniziare basta scegliere una password.`,
        `Scadenza del link: ${valid_until}. In seguito si può chiedere un nuovo invito all’amministrazione.`,
        "Se l’invito è inatteso, lo si può ignorare.",
      ],
      action: () => "Accetta l’invito",
      item: null,
    },
    ja: {
      subject: ({ company_name }) => `ご招待：${company_name}`,
      heading: ({ company_name }) => `${company_name}からのご招待`,
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name}の学習プラットフォームにアカウントが用意されています。パスワードを設定して始めましょう。`,
        `リンクの有効期限は${valid_until}です。期限が過ぎた場合は、管理者に再度招待を依頼してください。`,
        "お心当たりのない場合は、このメールを無視してください。",
      ],
      action: () => "招待を承諾する",
      item: null,
    },
    nl: {
      subject: ({ company_name }) => `Uitnodiging van ${company_name}`,
      heading: ({ company_name }) => `${company_name} nodigt je uit`,
      paragraphs: ({ company_name, valid_until }) => [
        `Er staat een account voor je klaar op het leerplatform van ${company_name}. Kies een wachtwoord om te beginnen.`,
        `De link is geldig tot ${valid_until}. Vraag je beheerders daarna om een nieuwe uitnodiging.`,
        "Had je deze uitnodiging niet verwacht, dan hoef je niets te doen.",
      ],
      action: () => "Uitnodiging accepteren",
      item: null,
    },
    pt: {
      subject: ({ company_name }) => `Convite de ${company_name}`,
      heading: ({ company_name }) => `${company_name} convida você`,
      paragraphs: ({ company_name, valid_until }) => [
        `Há uma conta para você na plataforma de aprendizagem de ${company_name}. Escolha uma senha para começar.`,
        `O link é válido até ${valid_until}. Depois disso, peça um novo convite à administração.`,
        "Se você não esperava este convite, pode ignorá-lo.",
      ],
      action: () => "Aceitar o convite",
      item: null,
    },
    ru: {
      subject: ({ company_name }) => `Приглашение: ${company_name}`,
      heading: ({ company_name }) => `${company_name} приглашает вас`,
      paragraphs: ({ company_name, valid_until }) => [
        `На учебной платформе ${company_name} для вас создана учётная запись. Чтобы начать, придумайте пароль.`,
        `Ссылка действует до указанного времени: ${valid_until}. После этого попросите у администраторов новое приглашение.`,
        "Если вы не ждали этого приглашения, ничего делать не нужно.",
      ],
      action: () => "Принять приглашение",
      item: null,
    },
    sv: {
      subject: ({ company_name }) => `Inbjudan från ${company_name}`,
      heading: ({ company_name }) => `${company_name} bjuder in dig`,
      paragraphs: ({ company_name, valid_until }) => [
        `Det finns ett konto för dig på utbildningsplattformen hos ${company_name}. Välj ett lösenord för att komma i gång.`,
        `Länken gäller till ${valid_until}. Be därefter en administratör om en ny inbjudan.`,
        "Om du inte väntade dig den här inbjudan kan du bortse från den.",
      ],
      action: () => "Acceptera inbjudan",
      item: null,
    },
    "zh-CN": {
      subject: ({ company_name }) => `邀请：${company_name}`,
      heading: ({ company_name }) => `${company_name} 邀请您`,
      paragraphs: ({ company_name, valid_until }) => [
        `${company_name} 的学习平台已为您开通账号。请设置密码，开始使用。`,
        `链接有效期至 ${valid_until}。过期后，请联系管理员重新发送邀请。`,
        "如果您并未预期收到此邀请，可以忽略这封邮件。",
      ],
      action: () => "接受邀请",
      item: null,
    },
  },
};
