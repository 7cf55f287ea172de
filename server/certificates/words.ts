/** The words of a certificate. */
export interface Words {
  readonly certificate: string;
  readonly awarded_to: string;
  readonly for_completing: string;
  readonly issued_on: string;
  readonly valid_until: string;
  readonly number: string;
}

/** By the holder's locale. */
const words = {
  ar: {
    certificate: "شهادة",
    awarded_to: "مُنحت إلى",
    for_completing: "لإتمام",
    issued_on: "تاريخ الإصدار",
    valid_until: "صالحة حتى",
    number: "رقم الشهادة",
  },
  de: {
    certificate: "Zertifikat",
    awarded_to: "Verliehen an",
    for_completing: "für den Abschluss von",
    issued_on: "Ausgestellt am",
    valid_until: "Gültig bis",
    number: "Zertifikatsnummer",
  },
  en: {
    certificate: "Certificate",
    awarded_to: "Awarded to",
    for_completing: "for completing",
    issued_on: "Issued on",
    valid_until: "Valid until",
    number: "Certificate number",
  },
  es: {
    certificate: "Certificado",
    awarded_to: "Otorgado a",
    for_completing: "por completar",
    issued_on: "Fecha de emisión",
    valid_until: "Válido hasta",
    number: "Número de certificado",
  },
  fr: {
    certificate: "Certificat",
    awarded_to: "Décerné à",
    for_completing: "pour avoir terminé",
    issued_on: "Délivré le",
    valid_until: "Valable jusqu’au",
    number: "Numéro du certificat",
  },
  it: {
    certificate: "Certificato",
    awarded_to: "Conferito a",
    for_completing: "per aver completato",
    issued_on: "Rilasciato il",
    valid_until: "Valido fino al",
    number: "Numero del certificato",
  },
  ja: {
    certificate: "修了証",
    awarded_to: "氏名",
    for_completing: "修了内容",
    issued_on: "発行日",
    valid_until: "有効期限",
    number: "証明書番号",
  },
  nl: {
    certificate: "Certificaat",
    awarded_to: "Uitgereikt aan",
    for_completing: "voor het voltooien van",
    issued_on: "Uitgereikt op",
    valid_until: "Geldig tot en met",
    number: "Certificaatnummer",
  },
  pt: {
    certificate: "Certificado",
    awarded_to: "Concedido a",
    for_completing: "pela conclusão de",
    issued_on: "Emitido em",
    valid_until: "Válido até",
    number: "Número do certificado",
  },
  ru: {
    certificate: "Сертификат",
    awarded_to: "Выдан",
    for_completing: "за прохождение",
    issued_on: "Дата выдачи",
    valid_until: "Действителен до",
    number: "Номер сертификата",
  },
  sv: {
    certificate: "Certifikat",
    awarded_to: "Tilldelas",
    for_completing: "för genomförd utbildning",
    issued_on: "Utfärdat",
    valid_until: "Giltigt till och med",
    number: "Certifikatnummer",
  },
  "zh-CN": {
    certificate: "证书",
    awarded_to: "授予",
    for_completing: "完成课程",
    issued_on: "颁发日期",
    valid_until: "有效期至",
    number: "证书编号",
  },
} as const satisfies Record<string, Words>;

/** The words of a locale; English for one that has none. */
export function wordsOf(locale: string): Words {
  return isLocale(locale) ? words[locale] : words.en;
}

function isLocale(locale: string): locale is keyof typeof words {
  return Object.hasOwn(words, locale);
}

/** A day as people of the locale write it. */
export function longDate(text: string, { locale, time_zone }: { locale: string; time_zone: string }): string {
  const instant = new Date(`${text.slice(0, 10)}T${text.slice(11, -"+00".length)}Z`);
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: time_zone }).format(instant);
}

/** Whether it is written from right to left. */
export function isRightToLeft(locale: string): boolean {
  return locale === "ar";
}
