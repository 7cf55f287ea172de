import type { Locale } from "../users/schema.ts";
import type { Typed } from "./mail-samples.ts";

const company_name = "Acme Academy";

/** Names and titles as people of each language type them, some of them foreign to it. */
export const peopleOf: Readonly<Record<Locale, Typed>> = {
  ar: {
    company_name,
    reader_name: "ليلى حدّاد",
    titles: ["السلامة من الحرائق في المكتب", "Excel 365: Pivot Tables (Level 2)", "حماية البيانات"],
  },
  de: {
    company_name: "Müller & Söhne GmbH",
    reader_name: "Jürgen Großmann",
    titles: [
      "Arbeitsschutzunterweisung für Mitarbeiterinnen und Mitarbeiter im Außendienst",
      "Datenschutz",
      "Brandschutz im Büro",
    ],
  },
  en: {
    company_name,
    reader_name: "Ada Lovelace",
    titles: [
      "Fire safety in the office",
      "Data protection: what everybody who works with customers’ personal data must know",
      "مقدمة في الأمن السيبراني",
    ],
  },
  es: {
    company_name,
    reader_name: "Íñigo Núñez",
    titles: ["Prevención de incendios", "Protección de datos"],
  },
  fr: {
    company_name,
    reader_name: "Zoé Lefèvre",
    titles: ["Sécurité incendie au bureau", "Accueil clients"],
  },
  it: { company_name, reader_name: "Niccolò D’Angelo", titles: ["Sicurezza antincendio", "Tutela dei dati"] },
  ja: {
    company_name: "アクメ株式会社",
    reader_name: "山田 花子",
    titles: ["オフィスの防火安全：初期消火と避難の基本", "個人情報保護", "Excel 365 入門"],
  },
  nl: { company_name, reader_name: "Sjoerd de Vries", titles: ["Brandveiligheid op kantoor", "Privacy"] },
  pt: {
    company_name,
    reader_name: "João Conceição",
    titles: ["Segurança contra incêndios", "Proteção de dados"],
  },
  ru: {
    company_name,
    reader_name: "Анна Кузнецова",
    titles: ["Пожарная безопасность в офисе", "Защита данных"],
  },
  sv: { company_name, reader_name: "Åsa Öberg", titles: ["Brandskydd på kontoret", "Dataskydd"] },
  "zh-CN": {
    company_name: "艾克米学院",
    reader_name: "王小明",
    titles: ["办公室消防安全：初期火灾扑救与疏散基础", "个人信息保护", "Excel 365 入门"],
  },
};
