import type { MailKind } from "../mail/text.ts";

export interface NewDeviceFacts {
  /** What the device is, in words. */
  readonly device: string;
  /** The date and time of the sign-in. */
  readonly at: string;
  /** The network address it came from. */
  readonly address: string;
  /** Whether they can change a password: where all sign in elsewhere, or they have none, they cannot. */
  readonly has_password: boolean;
}

/** Tells a person that somebody signed in to their account on a device that was not used for it before. */
export const newDeviceMail: MailKind<NewDeviceFacts> = {
  kind: "new_device",
  category: "required",
  texts: {
    ar: {
      subject: () => "تسجيل دخول من جهاز جديد",
      heading: () => "تسجيل دخول جديد إلى حسابك",
      paragraphs: ({ device, at, address, has_password }) => [
        "سُجّل الدخول إلى حسابك من جهاز لم يُستخدم من قبل.",
        `الجهاز: ${device}`,
        `الوقت: ${at}`,
        `عنوان IP: ${address}`,
        has_password
          ? "إذا كان ذلك منك، فلا حاجة إلى أي إجراء. وإلا فيُرجى تغيير كلمة المرور فورًا وإبلاغ الإدارة."
          : "إذا كان ذلك منك، فلا حاجة إلى أي إجراء. وإلا فيُرجى إنهاء هذه الجلسة فورًا وإبلاغ الإدارة.",
      ],
      action: ({ has_password }) => (has_password ? "تغيير كلمة المرور" : "عرض جلساتي"),
      item: null,
    },
    de: {
      subject: () => "Anmeldung auf einem neuen Gerät",
      heading: () => "Neue Anmeldung in Ihrem Konto",
      paragraphs: ({ device, at, address, has_password }) => [
        "In Ihrem Konto gab es eine Anmeldung von einem Gerät, das bisher nicht benutzt wurde.",
        `Gerät: ${device}`,
        `Zeitpunkt: ${at}`,
        `IP-Adresse: ${address}`,
        has_password
          ? "Waren Sie das selbst, brauchen Sie nichts zu tun. Andernfalls ändern Sie bitte sofort Ihr Passwort und benachrichtigen Sie Ihre Administratoren."
          : "Waren Sie das selbst, brauchen Sie nichts zu tun. Andernfalls beenden Sie bitte sofort diese Sitzung und benachrichtigen Sie Ihre Administratoren.",
      ],
      action: ({ has_password }) => (has_password ? "Passwort ändern" : "Sitzungen ansehen"),
      item: null,
    },
    en: {
      subject: () => "Sign-in from a new device",
      heading: () => "New sign-in to your account",
      paragraphs: ({ device, at, address, has_password }) => [
        "Someone signed in to your account from a device that had not been used before.",
        `Device: ${device}`,
        `Time: ${at}`,
        `IP address: ${address}`,
        has_password
          ? "If this was you, there is nothing to do. If not, change your password at once and tell your administrators."
          : "If this was you, there is nothing to do. If not, end this session at once and tell your administrators.",
      ],
      action: ({ has_password }) => (has_password ? "Change your password" : "View your sessions"),
      item: null,
    },
    es: {
      subject: () => "Acceso desde un nuevo dispositivo",
      heading: () => "Nuevo inicio de sesión en su cuenta",
      paragraphs: ({ device, at, address, has_password }) => [
        "Se ha iniciado sesión en su cuenta desde un dispositivo que no se había usado antes.",
        `Dispositivo: ${device}`,
        `Momento: ${at}`,
        `Dirección IP: ${address}`,
        has_password
          ? "Si ha sido usted, no tiene que hacer nada. De lo contrario, cambie la contraseña cuanto antes y avise a la administración."
          : "Si ha sido usted, no tiene que hacer nada. De lo contrario, cierre esa sesión cuanto antes y avise a la administración.",
      ],
      action: ({ has_password }) => (has_password ? "Cambiar la contraseña" : "Ver mis sesiones"),
      item: null,
    },
    fr: {
      subject: () => "Connexion depuis un nouvel appareil",
      heading: () => "Nouvelle connexion à votre compte",
      paragraphs: ({ device, at, address, has_password }) => [
        "Une connexion à votre compte a eu lieu depuis un appareil encore jamais utilisé.",
        `Appareil\u00a0: ${device}`,
        `Date et heure\u00a0: ${at}`,
        `Adresse IP\u00a0: ${address}`,
        has_password
          ? "Si c’était vous, vous n’avez rien à faire. Sinon, changez tout de suite votre mot de passe et prévenez l’administration."
          : "Si c’était vous, vous n’avez rien à faire. Sinon, fermez tout de suite cette session et prévenez l’administration.",
      ],
      action: ({ has_password }) => (has_password ? "Changer mon mot de passe" : "Voir mes sessions"),
      item: null,
    },
    it: {
      subject: () => "Accesso da un nuovo dispositivo",
      heading: () => "Un nuovo accesso all’account",
      paragraphs: ({ device, at, address, has_password }) => [
        "È stato effettuato un accesso all’account da un dispositivo mai usato prima.",
        `Dispositivo: ${device}`,
        `Data e ora: ${at}`,
        `Indirizzo IP: ${address}`,
        has_password
          ? "Se l’accesso è riconosciuto, non occorre fare nulla. In caso contrario, cambiare subito la password e avvisare l’amministrazione."
          : "Se l’accesso è riconosciuto, non occorre fare nulla. In caso contrario, chiudere subito questa sessione e avvisare l’amministrazione.",
      ],
      action: ({ has_password }) => (has_password ? "Cambia la password" : "Vedi le sessioni"),
      item: null,
    },
    ja: {
      subject: () => "新しい端末からのサインイン",
      heading: () => "アカウントへの新しいサインイン",
      paragraphs: ({ device, at, address, has_password }) => [
        "これまで使われていない端末から、あなたのアカウントへのサインインがありました。",
        `端末：${device}`,
        `日時：${at}`,
        `IPアドレス：${address}`,
        has_password
          ? "ご本人によるものであれば、お手続きは不要です。お心当たりのない場合は、すぐにパスワードを変更し、管理者にご連絡ください。"
          : "ご本人によるものであれば、お手続きは不要です。お心当たりのない場合は、すぐにこのセッションを終了し、管理者にご連絡ください。",
      ],
      action: ({ has_password }) => (has_password ? "パスワードを変更する" : "セッションを確認する"),
      item: null,
    },
    nl: {
      subject: () => "Aangemeld op een nieuw apparaat",
      heading: () => "Nieuwe aanmelding bij je account",
      paragraphs: ({ device, at, address, has_password }) => [
        "Er is bij je account aangemeld vanaf een apparaat dat nog niet eerder is gebruikt.",
        `Apparaat: ${device}`,
        `Tijdstip: ${at}`,
        `IP-adres: ${address}`,
        has_password
          ? "Was jij dit, dan hoef je niets te doen. Zo niet, wijzig dan meteen je wachtwoord en meld het aan je beheerders."
          : "Was jij dit, dan hoef je niets te doen. Zo niet, beëindig dan meteen deze sessie en meld het aan je beheerders.",
      ],
      action: ({ has_password }) => (has_password ? "Wachtwoord wijzigen" : "Sessies bekijken"),
      item: null,
    },
    pt: {
      subject: () => "Acesso em um novo dispositivo",
      heading: () => "Novo acesso à sua conta",
      paragraphs: ({ device, at, address, has_password }) => [
        "Houve um acesso à sua conta em um dispositivo que ainda não tinha sido usado.",
        `Dispositivo: ${device}`,
        `Data e hora: ${at}`,
        `Endereço IP: ${address}`,
        has_password
          ? "Se foi você, não é preciso fazer nada. Caso contrário, altere sua senha imediatamente e avise a administração."
          : "Se foi você, não é preciso fazer nada. Caso contrário, encerre essa sessão imediatamente e avise a administração.",
      ],
      action: ({ has_password }) => (has_password ? "Alterar a senha" : "Ver minhas sessões"),
      item: null,
    },
    ru: {
      subject: () => "Вход с нового устройства",
      heading: () => "Новый вход в вашу учётную запись",
      paragraphs: ({ device, at, address, has_password }) => [
        "В вашу учётную запись вошли с устройства, которое раньше не использовалось.",
        `Устройство: ${device}`,
        `Время: ${at}`,
        `IP-адрес: ${address}`,
        has_password
          ? "Если это были вы, ничего делать не нужно. Если нет, сразу смените пароль и сообщите администраторам."
          : "Если это были вы, ничего делать не нужно. Если нет, сразу завершите этот сеанс и сообщите администраторам.",
      ],
      action: ({ has_password }) => (has_password ? "Сменить пароль" : "Посмотреть сеансы"),
      item: null,
    },
    sv: {
      subject: () => "Inloggning på en ny enhet",
      heading: () => "Ny inloggning på ditt konto",
      paragraphs: ({ device, at, address, has_password }) => [
        "Någon har loggat in på ditt konto från en enhet som inte har använts tidigare.",
        `Enhet: ${device}`,
        `Tidpunkt: ${at}`,
        `IP-adress: ${address}`,
        has_password
          ? "Om det var du behöver du inte göra något. Byt annars lösenord genast och meddela en administratör."
          : "Om det var du behöver du inte göra något. Avsluta annars sessionen genast och meddela en administratör.",
      ],
      action: ({ has_password }) => (has_password ? "Byt lösenord" : "Visa mina sessioner"),
      item: null,
    },
    "zh-CN": {
      subject: () => "新设备登录提醒",
      heading: () => "您的账号有新的登录",
      paragraphs: ({ device, at, address, has_password }) => [
        "您的账号在一台从未使用过的设备上登录。",
        `设备：${device}`,
        `时间：${at}`,
        `IP 地址：${address}`,
        has_password
          ? "如果是您本人，则无需任何操作。如果不是，请立即修改密码并告知管理员。"
          : "如果是您本人，则无需任何操作。如果不是，请立即结束该会话并告知管理员。",
      ],
      action: ({ has_password }) => (has_password ? "修改密码" : "查看会话"),
      item: null,
    },
  },
};
