import { relativeDay } from "../mail/rendering/relative-day.ts";
import type { MailKind } from "../mail/text.ts";

export interface ExpiringFacts {
  readonly title: string;
  readonly valid_until: string;
  /** From the day it is sent to the last day of validity. */
  readonly days: number;
  /** Whether its holder can take the content again by now: only then there is something to do. */
  readonly can_renew: boolean;
}

/** Reminds a person of a certificate that is about to expire, and says how it is renewed where it can be. */
export const expiringMail: MailKind<ExpiringFacts> = {
  kind: "expiring",
  category: "certificates",
  texts: {
    ar: {
      subject: ({ title }) => `شهادة تقارب الانتهاء: ${title}`,
      heading: ({ days }) => `تنتهي صلاحية شهادتك ${relativeDay("ar", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `شهادتك عن «${title}» صالحة حتى ${valid_until}.`,
        ...(can_renew ? ["لتجديدها، يُرجى إتمام المحتوى من جديد قبل هذا الموعد."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "تجديد الشهادة" : "عرض الشهادة"),
      item: ({ title, valid_until, days }) =>
        `${title} (تنتهي الصلاحية ${relativeDay("ar", days)}، في ${valid_until})`,
    },
    de: {
      subject: ({ title }) => `Zertifikat läuft ab: ${title}`,
      heading: ({ days }) => `Ihr Zertifikat läuft ${relativeDay("de", days)} ab`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Ihr Zertifikat für „${title}“ ist gültig bis zum ${valid_until}.`,
        ...(can_renew ? ["Um es zu erneuern, schließen Sie den Inhalt vorher noch einmal ab."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Zertifikat erneuern" : "Zertifikat ansehen"),
      item: ({ title, valid_until, days }) =>
        `${title} (läuft ${relativeDay("de", days)} ab, am ${valid_until})`,
    },
    en: {
      subject: ({ title }) => `Certificate expires: ${title}`,
      heading: ({ days }) => `Your certificate expires ${relativeDay("en", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Your certificate for “${title}” is valid until ${valid_until}.`,
        ...(can_renew ? ["To renew it, complete the content again before then."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Renew certificate" : "View certificate"),
      item: ({ title, valid_until, days }) =>
        `${title} (expires ${relativeDay("en", days)}, on ${valid_until})`,
    },
    es: {
      subject: ({ title }) => `Su certificado caduca: ${title}`,
      heading: ({ days }) => `Su certificado caduca ${relativeDay("es", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Su certificado de «${title}» es válido hasta el ${valid_until}.`,
        ...(can_renew ? ["Para renovarlo, complete de nuevo el contenido antes de esa fecha."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Renovar el certificado" : "Ver el certificado"),
      item: ({ title, valid_until, days }) =>
        `${title} (caduca ${relativeDay("es", days)}, el ${valid_until})`,
    },
    fr: {
      subject: ({ title }) => `Votre certificat expire\u00a0: ${title}`,
      heading: ({ days }) => `Votre certificat expire ${relativeDay("fr", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Votre certificat pour «\u00a0${title}\u00a0» est valable jusqu’au ${valid_until}.`,
        ...(can_renew ? ["Pour le renouveler, terminez à nouveau le contenu avant cette date."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Renouveler le certificat" : "Voir le certificat"),
      item: ({ title, valid_until, days }) =>
        `${title} (expire ${relativeDay("fr", days)}, le ${valid_until})`,
    },
    it: {
      subject: ({ title }) => `Certificato in scadenza: ${title}`,
      heading: ({ days }) => `Il certificato scade ${relativeDay("it", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Scadenza del certificato per «${title}»: ${valid_until}.`,
        ...(can_renew ? ["Per rinnovarlo, basta completare di nuovo i contenuti prima di questa data."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Rinnova il certificato" : "Vedi il certificato"),
      item: ({ title, valid_until, days }) => `${title} (scade ${relativeDay("it", days)}: ${valid_until})`,
    },
    ja: {
      subject: ({ title }) => `修了証の期限が近づいています：${title}`,
      heading: ({ days }) => `修了証の有効期限は${relativeDay("ja", days)}です`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `「${title}」の修了証の有効期限は${valid_until}です。`,
        ...(can_renew ? ["更新するには、それまでにもう一度修了してください。"] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "修了証を更新する" : "修了証を見る"),
      item: ({ title, valid_until, days }) =>
        `${title}（有効期限：${valid_until}、${relativeDay("ja", days)}）`,
    },
    nl: {
      subject: ({ title }) => `Certificaat verloopt: ${title}`,
      heading: ({ days }) => `Je certificaat verloopt ${relativeDay("nl", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Je certificaat voor ‘${title}’ is geldig tot en met ${valid_until}.`,
        ...(can_renew ? ["Rond de inhoud vóór die tijd opnieuw af om het te verlengen."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Certificaat verlengen" : "Certificaat bekijken"),
      item: ({ title, valid_until, days }) =>
        `${title} (verloopt ${relativeDay("nl", days)}, op ${valid_until})`,
    },
    pt: {
      subject: ({ title }) => `Seu certificado vence: ${title}`,
      heading: ({ days }) => `Seu certificado vence ${relativeDay("pt", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Seu certificado de “${title}” é válido até ${valid_until}.`,
        ...(can_renew ? ["Para renová-lo, conclua o conteúdo novamente antes dessa data."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Renovar o certificado" : "Ver o certificado"),
      item: ({ title, valid_until, days }) =>
        `${title} (vence ${relativeDay("pt", days)}, em ${valid_until})`,
    },
    ru: {
      subject: ({ title }) => `Срок сертификата истекает: ${title}`,
      heading: ({ days }) => `Срок действия сертификата истекает ${relativeDay("ru", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Ваш сертификат «${title}» действителен до ${valid_until} включительно.`,
        ...(can_renew ? ["Чтобы продлить его, до этого дня пройдите обучение ещё раз."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Продлить сертификат" : "Открыть сертификат"),
      item: ({ title, valid_until, days }) =>
        `${title} (истекает ${relativeDay("ru", days)}, ${valid_until})`,
    },
    sv: {
      subject: ({ title }) => `Certifikat går ut: ${title}`,
      heading: ({ days }) => `Ditt certifikat går ut ${relativeDay("sv", days)}`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `Ditt certifikat för ”${title}” gäller till och med ${valid_until}.`,
        ...(can_renew ? ["Slutför innehållet en gång till före dess för att förnya det."] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "Förnya certifikatet" : "Visa certifikatet"),
      item: ({ title, valid_until, days }) => `${title} (går ut ${relativeDay("sv", days)}, ${valid_until})`,
    },
    "zh-CN": {
      subject: ({ title }) => `证书即将到期：${title}`,
      heading: ({ days }) => `您的证书将于${relativeDay("zh-CN", days)}到期`,
      paragraphs: ({ title, valid_until, can_renew }) => [
        `您的“${title}”证书有效期至 ${valid_until}。`,
        ...(can_renew ? ["如需续期，请在此日期之前重新完成学习。"] : []),
      ],
      action: ({ can_renew }) => (can_renew ? "续期证书" : "查看证书"),
      item: ({ title, valid_until, days }) => `${title}（${relativeDay("zh-CN", days)}到期：${valid_until}）`,
    },
  },
};
