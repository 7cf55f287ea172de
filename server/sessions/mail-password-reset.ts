import type { MailKind } from "../mail/text.ts";

export interface PasswordResetFacts {
  /** The date and time until which the link works. */
  readonly valid_until: string;
}

/** Lets a person who asked for it choose a new password; who did not ask learns that nothing has changed. */
export const passwordResetMail: MailKind<PasswordResetFacts> = {
  kind: "password_reset",
  category: "required",
  texts: {
    ar: {
      subject: () => "إعادة تعيين كلمة المرور",
      heading: () => "اختيار كلمة مرور جديدة",
      paragraphs: ({ valid_until }) => [
        "وصلنا طلب لإعادة تعيين كلمة المرور الخاصة بحسابك. يمكنك اختيار كلمة مرور جديدة عبر الرابط أدناه.",
        `الرابط صالح حتى ${valid_until}، ولمرة واحدة فقط.`,
        "إذا لم يصدر هذا الطلب عنك، فلا حاجة إلى أي إجراء: تبقى كلمة مرورك كما هي.",
      ],
      action: () => "اختيار كلمة المرور",
      item: null,
    },
    de: {
      subject: () => "Ihr Passwort zurücksetzen",
      heading: () => "Wählen Sie ein neues Passwort",
      paragraphs: ({ valid_until }) => [
        "Für Ihr Konto wurde ein neues Passwort angefordert. Über den Link unten können Sie es festlegen.",
        `Der Link gilt bis zum ${valid_until} und nur einmal.`,
        "Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.",
      ],
      action: () => "Neues Passwort wählen",
      item: null,
    },
    en: {
      subject: () => "Reset your password",
      heading: () => "Choose a new password",
      paragraphs: ({ valid_until }) => [
        "A new password was requested for your account. Use the link below to choose one.",
        `The link is valid until ${valid_until} and can be used once.`,
        "If this was not you, there is nothing to do: your password stays as it is.",
      ],
      action: () => "Choose a password",
      item: null,
    },
    es: {
      subject: () => "Restablecer su contraseña",
      heading: () => "Elija una nueva contraseña",
      paragraphs: ({ valid_until }) => [
        "Se ha solicitado una nueva contraseña para su cuenta. Puede elegirla con el enlace de abajo.",
        `El enlace es válido hasta el ${valid_until} y funciona una sola vez.`,
        "Si no lo ha pedido usted, no tiene que hacer nada: su contraseña sigue siendo la misma.",
      ],
      action: () => "Elegir una contraseña",
      item: null,
    },
    fr: {
      subject: () => "Réinitialiser votre mot de passe",
      heading: () => "Choisissez un nouveau mot de passe",
      paragraphs: ({ valid_until }) => [
        "Un nouveau mot de passe a été demandé pour votre compte. Vous pouvez le choisir avec le lien ci-dessous.",
        `Le lien est valable jusqu’au ${valid_until} et ne fonctionne qu’une fois.`,
        "Si cette demande ne vient pas de vous, vous n’avez rien à faire\u00a0: votre mot de passe reste le même.",
      ],
      action: () => "Choisir un mot de passe",
      item: null,
    },
    it: {
      subject: () => "Reimpostare la password",
      heading: () => "Una nuova password",
      paragraphs: ({ valid_until }) => [
        "È stata richiesta una nuova password per questo account. È possibile sceglierla con il link qui sotto.",
        `Scadenza del link: ${valid_until}. Funziona una sola volta.`,
        "Chi non ha fatto questa richiesta può ignorarla: la password resta quella attuale.",
      ],
      action: () => "Scegli la password",
      item: null,
    },
    ja: {
      subject: () => "パスワードの再設定",
      heading: () => "新しいパスワードを設定してください",
      paragraphs: ({ valid_until }) => [
        "アカウントのパスワード再設定のリクエストを受け付けました。下のリンクから新しいパスワードを設定できます。",
        `リンクの有効期限は${valid_until}です。一度だけご利用いただけます。`,
        "お心当たりのない場合、お手続きは不要です。パスワードは変更されません。",
      ],
      action: () => "パスワードを設定する",
      item: null,
    },
    nl: {
      subject: () => "Je wachtwoord opnieuw instellen",
      heading: () => "Kies een nieuw wachtwoord",
      paragraphs: ({ valid_until }) => [
        "Er is een nieuw wachtwoord aangevraagd voor je account. Via de link hieronder kun je het kiezen.",
        `De link is geldig tot ${valid_until} en werkt één keer.`,
        "Was jij dit niet, dan hoef je niets te doen: je wachtwoord blijft zoals het is.",
      ],
      action: () => "Wachtwoord kiezen",
      item: null,
    },
    pt: {
      subject: () => "Redefinir sua senha",
      heading: () => "Escolha uma nova senha",
      paragraphs: ({ valid_until }) => [
        "Uma nova senha foi solicitada para a sua conta. Você pode escolhê-la pelo link abaixo.",
        `O link é válido até ${valid_until} e funciona uma única vez.`,
        "Se não foi você, não é preciso fazer nada: sua senha continua a mesma.",
      ],
      action: () => "Escolher uma senha",
      item: null,
    },
    ru: {
      subject: () => "Сброс пароля",
      heading: () => "Придумайте новый пароль",
      paragraphs: ({ valid_until }) => [
        "Для вашей учётной записи запросили новый пароль. Задать его можно по ссылке ниже.",
        `Ссылка сработает один раз. Срок её действия — до ${valid_until}.`,
        "Если запрос сделали не вы, ничего делать не нужно: пароль останется прежним.",
      ],
      action: () => "Задать пароль",
      item: null,
    },
    sv: {
      subject: () => "Återställ ditt lösenord",
      heading: () => "Välj ett nytt lösenord",
      paragraphs: ({ valid_until }) => [
        "Ett nytt lösenord har begärts för ditt konto. Du kan välja det via länken nedan.",
        `Länken gäller till ${valid_until} och fungerar en gång.`,
        "Om det inte var du behöver du inte göra något: ditt lösenord är oförändrat.",
      ],
      action: () => "Välj lösenord",
      item: null,
    },
    "zh-CN": {
      subject: () => "重置您的密码",
      heading: () => "请设置新密码",
      paragraphs: ({ valid_until }) => [
        "我们收到了为您的账号重置密码的请求。您可以通过下方链接设置新密码。",
        `链接有效期至 ${valid_until}，仅可使用一次。`,
        "如果不是您本人的请求，则无需任何操作，您的密码保持不变。",
      ],
      action: () => "设置新密码",
      item: null,
    },
  },
};
