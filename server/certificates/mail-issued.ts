import type { MailKind } from "../mail/text.ts";

export interface IssuedFacts {
  readonly title: string;
  /** Null where the certificate never expires. */
  readonly valid_until: string | null;
}

/** Tells a person that a certificate was issued to them. */
export const issuedMail: MailKind<IssuedFacts> = {
  kind: "issued",
  category: "certificates",
  texts: {
    ar: {
      subject: ({ title }) => `شهادتك: ${title}`,
      heading: () => "شهادتك جاهزة",
      paragraphs: ({ title, valid_until }) => [
        `تهانينا، صدرت شهادتك عن «${title}».`,
        valid_until === null ? "لا تنتهي صلاحية هذه الشهادة." : `الشهادة صالحة حتى ${valid_until}.`,
      ],
      action: () => "عرض الشهادة",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (صالحة حتى ${valid_until})`,
    },
    de: {
      subject: ({ title }) => `Ihr Zertifikat: ${title}`,
      heading: () => "Ihr Zertifikat liegt bereit",
      paragraphs: ({ title, valid_until }) => [
        `Herzlichen Glückwunsch: Ihr Zertifikat für „${title}“ wurde ausgestellt.`,
        valid_until === null ? "Es läuft nicht ab." : `Es ist gültig bis zum ${valid_until}.`,
      ],
      action: () => "Zertifikat ansehen",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (gültig bis zum ${valid_until})`,
    },
    en: {
      subject: ({ title }) => `Your certificate: ${title}`,
      heading: () => "Your certificate is ready",
      paragraphs: ({ title, valid_until }) => [
        `Congratulations: your certificate for “${title}” has been issued.`,
        valid_until === null ? "It does not expire." : `It is valid until ${valid_until}.`,
      ],
      action: () => "View certificate",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (valid until ${valid_until})`,
    },
    es: {
      subject: ({ title }) => `Su certificado: ${title}`,
      heading: () => "Su certificado está listo",
      paragraphs: ({ title, valid_until }) => [
        `Enhorabuena: se ha emitido su certificado de «${title}».`,
        valid_until === null ? "No tiene fecha de caducidad." : `Es válido hasta el ${valid_until}.`,
      ],
      action: () => "Ver el certificado",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (válido hasta el ${valid_until})`,
    },
    fr: {
      subject: ({ title }) => `Votre certificat\u00a0: ${title}`,
      heading: () => "Votre certificat est prêt",
      paragraphs: ({ title, valid_until }) => [
        `Félicitations\u00a0: votre certificat pour «\u00a0${title}\u00a0» vous a été délivré.`,
        valid_until === null ? "Il n’a pas de date d’expiration." : `Il est valable jusqu’au ${valid_until}.`,
      ],
      action: () => "Voir le certificat",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (valable jusqu’au ${valid_until})`,
    },
    it: {
      subject: ({ title }) => `Nuovo certificato: ${title}`,
      heading: () => "Il certificato è pronto",
      paragraphs: ({ title, valid_until }) => [
        `Congratulazioni: il certificato per «${title}» è stato rilasciato.`,
        valid_until === null ? "Non ha una data di scadenza." : `Data di scadenza: ${valid_until}.`,
      ],
      action: () => "Vedi il certificato",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (scadenza: ${valid_until})`,
    },
    ja: {
      subject: ({ title }) => `修了証が発行されました：${title}`,
      heading: () => "修了証をご用意しました",
      paragraphs: ({ title, valid_until }) => [
        `おめでとうございます。「${title}」の修了証が発行されました。`,
        valid_until === null ? "有効期限はありません。" : `有効期限は${valid_until}です。`,
      ],
      action: () => "修了証を見る",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title}（有効期限：${valid_until}）`,
    },
    nl: {
      subject: ({ title }) => `Je certificaat: ${title}`,
      heading: () => "Je certificaat staat klaar",
      paragraphs: ({ title, valid_until }) => [
        `Gefeliciteerd: je certificaat voor ‘${title}’ is uitgereikt.`,
        valid_until === null ? "Het verloopt niet." : `Het is geldig tot en met ${valid_until}.`,
      ],
      action: () => "Certificaat bekijken",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (geldig tot en met ${valid_until})`,
    },
    pt: {
      subject: ({ title }) => `Seu certificado: ${title}`,
      heading: () => "Seu certificado está pronto",
      paragraphs: ({ title, valid_until }) => [
        `Parabéns: seu certificado de “${title}” foi emitido.`,
        valid_until === null ? "Ele não tem data de validade." : `Ele é válido até ${valid_until}.`,
      ],
      action: () => "Ver o certificado",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (válido até ${valid_until})`,
    },
    ru: {
      subject: ({ title }) => `Ваш сертификат: ${title}`,
      heading: () => "Ваш сертификат готов",
      paragraphs: ({ title, valid_until }) => [
        `Поздравляем: вам выдан сертификат «${title}».`,
        valid_until === null
          ? "Срок его действия не ограничен."
          : `Он действителен до ${valid_until} включительно.`,
      ],
      action: () => "Открыть сертификат",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (действителен до ${valid_until})`,
    },
    sv: {
      subject: ({ title }) => `Ditt certifikat: ${title}`,
      heading: () => "Ditt certifikat är klart",
      paragraphs: ({ title, valid_until }) => [
        `Grattis: ditt certifikat för ”${title}” har utfärdats.`,
        valid_until === null ? "Det har inget slutdatum." : `Det gäller till och med ${valid_until}.`,
      ],
      action: () => "Visa certifikatet",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title} (gäller till och med ${valid_until})`,
    },
    "zh-CN": {
      subject: ({ title }) => `您的证书：${title}`,
      heading: () => "您的证书已颁发",
      paragraphs: ({ title, valid_until }) => [
        `恭喜您，“${title}”的证书已颁发。`,
        valid_until === null ? "此证书长期有效。" : `证书有效期至 ${valid_until}。`,
      ],
      action: () => "查看证书",
      item: ({ title, valid_until }) =>
        valid_until === null ? title : `${title}（有效期至 ${valid_until}）`,
    },
  },
};
