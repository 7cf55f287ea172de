import type { Locale } from "../../users/schema.ts";
import { plural } from "./plural.ts";

/** The words that every mail has around its own. Names come as facts that are marked. */
export interface FrameTexts {
  /** @param name null for somebody without one. */
  readonly greeting: (name: string | null) => string;
  /** How many things of a list are not shown. */
  readonly more: (n: number) => string;
  /** Stands before the address of the button. */
  readonly open_address: string;
  /** Why the reader gets a mail that they can turn off. */
  readonly why: (company: string) => string;
  /** Why the reader gets a mail that is always sent. */
  readonly why_always: (company: string) => string;
  readonly stop: string;
  readonly choose: string;
}

/** The frame's words in every language. */
export const frameTexts: Readonly<Record<Locale, FrameTexts>> = {
  ar: {
    greeting: (name) => (name === null ? "مرحبًا،" : `مرحبًا ${name}،`),
    more: (n) =>
      plural("ar", n, {
        zero: "ولا عناصر أخرى ({n})",
        one: "وعنصر واحد آخر ({n})",
        two: "وعنصران آخران ({n})",
        few: "و{n} عناصر أخرى",
        many: "و{n} عنصرًا آخر",
        other: "و{n} عنصر آخر",
      }),
    open_address: "إذا لم يعمل الزر، فافتح هذا العنوان:",
    why: (company) => `تصلك هذه الرسالة لأن لديك حسابًا لدى ${company}.`,
    why_always: (company) => `تُرسل هذه الرسائل دائمًا لأنها تتعلق بحسابك لدى ${company}.`,
    stop: "إيقاف هذه الرسائل",
    choose: "اختيار الرسائل التي تصلك",
  },
  de: {
    greeting: (name) => (name === null ? "Guten Tag," : `Guten Tag ${name},`),
    more: (n) => plural("de", n, { one: "und {n} weiterer Eintrag", other: "und {n} weitere Einträge" }),
    open_address: "Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
    why: (company) => `Sie erhalten diese E-Mail, weil Sie ein Konto bei ${company} haben.`,
    why_always: (company) =>
      `E-Mails dieser Art werden immer gesendet, weil sie Ihr Konto bei ${company} betreffen.`,
    stop: "Diese E-Mails abbestellen",
    choose: "E-Mails auswählen",
  },
  en: {
    greeting: (name) => (name === null ? "Hello," : `Hello ${name},`),
    more: (n) => plural("en", n, { one: "and {n} more", other: "and {n} more" }),
    open_address: "If the button does not work, open this address:",
    why: (company) => `You are receiving this email because you have an account at ${company}.`,
    why_always: (company) =>
      `Emails of this kind are always sent, as they concern your account at ${company}.`,
    stop: "Stop these emails",
    choose: "Choose your emails",
  },
  es: {
    greeting: (name) => (name === null ? "Hola:" : `Hola, ${name}:`),
    more: (n) =>
      plural("es", n, {
        one: "y {n} elemento más",
        many: "y {n} de elementos más",
        other: "y {n} elementos más",
      }),
    open_address: "Si el botón no funciona, abra esta dirección:",
    why: (company) => `Recibe este correo porque tiene una cuenta en ${company}.`,
    why_always: (company) => `Estos correos se envían siempre porque afectan a su cuenta en ${company}.`,
    stop: "Dejar de recibir estos correos",
    choose: "Elegir qué correos recibir",
  },
  fr: {
    greeting: (name) => (name === null ? "Bonjour," : `Bonjour ${name},`),
    more: (n) =>
      plural("fr", n, {
        one: "et {n} autre élément",
        many: "et {n} d’autres éléments",
        other: "et {n} autres éléments",
      }),
    open_address: "Si le bouton ne fonctionne pas, ouvrez cette adresse\u00a0:",
    why: (company) => `Vous recevez cet e-mail parce que vous avez un compte chez ${company}.`,
    why_always: (company) =>
      `Les e-mails de ce type sont toujours envoyés, car ils concernent votre compte chez ${company}.`,
    stop: "Ne plus recevoir ces e-mails",
    choose: "Choisir vos e-mails",
  },
  it: {
    greeting: (name) => (name === null ? "Buongiorno," : `Buongiorno ${name},`),
    more: (n) =>
      plural("it", n, {
        one: "e {n} altro elemento",
        many: "e altri {n} di elementi",
        other: "e altri {n} elementi",
      }),
    open_address: "Se il pulsante non funziona, aprire questo indirizzo:",
    why: (company) => `Questa e-mail arriva a chi ha un account presso ${company}.`,
    why_always: (company) =>
      `Queste e-mail vengono sempre inviate perché riguardano l’account presso ${company}.`,
    stop: "Non ricevere più queste e-mail",
    choose: "Scegliere quali e-mail ricevere",
  },
  ja: {
    greeting: (name) => (name === null ? "こんにちは。" : `${name} 様`),
    more: (n) => plural("ja", n, { other: "ほか{n}件" }),
    open_address: "ボタンが機能しない場合は、次のアドレスを開いてください。",
    why: (company) => `このメールは、${company}のアカウントをお持ちの方にお送りしています。`,
    why_always: (company) =>
      `このメールは、${company}のアカウントに関する大切なお知らせのため、必ずお送りしています。`,
    stop: "このメールの配信を停止する",
    choose: "受け取るメールを選ぶ",
  },
  nl: {
    greeting: (name) => (name === null ? "Hallo," : `Hallo ${name},`),
    more: (n) => plural("nl", n, { one: "en nog {n} onderdeel", other: "en nog {n} onderdelen" }),
    open_address: "Werkt de knop niet? Open dan dit adres:",
    why: (company) => `Je krijgt deze e-mail omdat je een account hebt bij ${company}.`,
    why_always: (company) =>
      `E-mails van deze soort worden altijd verstuurd, omdat ze over je account bij ${company} gaan.`,
    stop: "Deze e-mails stopzetten",
    choose: "Kies je e-mails",
  },
  pt: {
    greeting: (name) => (name === null ? "Olá," : `Olá, ${name},`),
    more: (n) =>
      plural("pt", n, { one: "e mais {n} item", many: "e mais {n} de itens", other: "e mais {n} itens" }),
    open_address: "Se o botão não funcionar, abra este endereço:",
    why: (company) => `Você recebe este e-mail porque tem uma conta em ${company}.`,
    why_always: (company) =>
      `E-mails deste tipo são sempre enviados, pois dizem respeito à sua conta em ${company}.`,
    stop: "Parar de receber estes e-mails",
    choose: "Escolher seus e-mails",
  },
  ru: {
    greeting: (name) => (name === null ? "Здравствуйте!" : `Здравствуйте, ${name}!`),
    more: (n) =>
      plural("ru", n, {
        one: "и ещё {n} пункт",
        few: "и ещё {n} пункта",
        many: "и ещё {n} пунктов",
        other: "и ещё {n} пункта",
      }),
    open_address: "Если кнопка не работает, откройте этот адрес:",
    why: (company) => `Вы получили это письмо, потому что у вас есть учётная запись: ${company}.`,
    why_always: (company) =>
      `Такие письма отправляются всегда, так как они касаются вашей учётной записи: ${company}.`,
    stop: "Не получать такие письма",
    choose: "Выбрать, какие письма получать",
  },
  sv: {
    greeting: (name) => (name === null ? "Hej," : `Hej ${name},`),
    more: (n) => plural("sv", n, { one: "och {n} till", other: "och {n} till" }),
    open_address: "Om knappen inte fungerar, öppna den här adressen:",
    why: (company) => `Du får det här mejlet för att du har ett konto hos ${company}.`,
    why_always: (company) =>
      `Mejl av det här slaget skickas alltid, eftersom de gäller ditt konto hos ${company}.`,
    stop: "Sluta få sådana mejl",
    choose: "Välj vilka mejl du får",
  },
  "zh-CN": {
    greeting: (name) => (name === null ? "您好：" : `${name}，您好：`),
    more: (n) => plural("zh-CN", n, { other: "另有 {n} 项" }),
    open_address: "如果按钮无法使用，请打开以下网址：",
    why: (company) => `您收到此邮件，是因为您在“${company}”拥有账号。`,
    why_always: (company) => `此类邮件与您在“${company}”的账号有关，因此始终会发送。`,
    stop: "不再接收此类邮件",
    choose: "选择要接收的邮件",
  },
};
