import type { MailKind } from "../mail/text.ts";

export interface EndpointFailingFacts {
  /** The endpoint's URL without its query, which may hold a secret. */
  readonly address: string;
  /** What people call it, with its address; the address alone where they call it nothing. */
  readonly name: string;
  /** The date and time since when nothing has arrived, or when it was disabled. */
  readonly since: string;
  /** What went wrong, as the log of deliveries says it. */
  readonly reason: string;
  /** Whether its receiver has it disabled: nothing has failed then, and what waits is sent once it is enabled again. */
  readonly is_disabled: boolean;
}

/** Tells administrators once that nothing arrives at an endpoint for so long that it is marked, or that it was disabled. */
export const endpointFailingMail: MailKind<EndpointFailingFacts> = {
  kind: "endpoint_failing",
  category: "administration",
  texts: {
    ar: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `تم تعطيل Webhook: ${address}` : `تعذّر تسليم Webhook: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "تم تعطيل نقطة استقبال Webhook" : "نقطة استقبال Webhook لا تعمل",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `لم تعد نقطة الاستقبال ${name} تقبل الأحداث، ولذلك عُطّلت بتاريخ ${since}.`,
              `السبب: ${reason}`,
              "لم يضِع أي حدث. ما ينتظر الإرسال سيُرسَل فور إعادة تفعيل نقطة الاستقبال.",
            ]
          : [
              `تعذّر تسليم الأحداث إلى ${name} منذ ${since}.`,
              `السبب الأخير: ${reason}`,
              "لم يضِع أي حدث. عندما تعود نقطة الاستقبال إلى العمل، يمكنك إعادة إرسال كل ما تعذّر تسليمه.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "عرض نقطة الاستقبال" : "عرض عمليات التسليم"),
      item: ({ name, since, is_disabled }) =>
        is_disabled ? `Webhook ${name}: عُطّل بتاريخ ${since}` : `Webhook ${name}: لا يعمل منذ ${since}`,
    },
    de: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook deaktiviert: ${address}` : `Webhook gestört: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "Ein Webhook-Endpunkt wurde deaktiviert" : "Ein Webhook-Endpunkt ist gestört",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `Der Empfänger nimmt nichts mehr an. Deshalb wurde ${name} am ${since} deaktiviert.`,
              `Grund: ${reason}`,
              "Kein Ereignis ist verloren. Was noch wartet, wird gesendet, sobald Sie den Endpunkt wieder aktivieren.",
            ]
          : [
              `Zustellungen an ${name} schlagen seit dem ${since} fehl.`,
              `Letzter Grund: ${reason}`,
              "Kein Ereignis ist verloren. Sobald der Empfänger wieder arbeitet, können Sie alles Fehlgeschlagene erneut senden.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Endpunkt ansehen" : "Zustellungen ansehen"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}: deaktiviert am ${since}`
          : `Webhook ${name}: gestört seit dem ${since}`,
    },
    en: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook disabled: ${address}` : `Webhook failing: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "A webhook endpoint has been disabled" : "A webhook endpoint is failing",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `The receiver does not accept deliveries any more, so ${name} was disabled on ${since}.`,
              `Reason: ${reason}`,
              "No event is lost. Whatever is waiting will be sent as soon as you enable the endpoint again.",
            ]
          : [
              `Deliveries to ${name} have been failing since ${since}.`,
              `Latest reason: ${reason}`,
              "No event is lost. Once the receiver works again, you can resend everything that failed.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "View the endpoint" : "View deliveries"),
      item: ({ name, since, is_disabled }) =>
        is_disabled ? `Webhook ${name}: disabled on ${since}` : `Webhook ${name}: failing since ${since}`,
    },
    es: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook desactivado: ${address}` : `Fallo del webhook: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "Se ha desactivado un destino de webhook" : "Un destino de webhook está fallando",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `El receptor ya no acepta envíos, por lo que ${name} se desactivó el ${since}.`,
              `Motivo: ${reason}`,
              "No se ha perdido ningún evento. Lo que está pendiente se enviará en cuanto vuelva a activar el destino.",
            ]
          : [
              `Los envíos a ${name} fallan desde el ${since}.`,
              `Último motivo: ${reason}`,
              "No se ha perdido ningún evento. Cuando el receptor vuelva a funcionar, podrá reenviar todo lo que falló.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Ver el destino" : "Ver los envíos"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}: desactivado el ${since}`
          : `Webhook ${name}: con fallos desde el ${since}`,
    },
    fr: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook désactivé\u00a0: ${address}` : `Webhook en échec\u00a0: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled
          ? "Un point de terminaison webhook a été désactivé"
          : "Un point de terminaison webhook est en échec",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `Le destinataire n’accepte plus d’envois\u00a0: ${name} a donc été désactivé le ${since}.`,
              `Raison\u00a0: ${reason}`,
              "Aucun événement n’est perdu. Ce qui est en attente partira dès que vous réactiverez le point de terminaison.",
            ]
          : [
              `Les envois vers ${name} échouent depuis le ${since}.`,
              `Dernière raison\u00a0: ${reason}`,
              "Aucun événement n’est perdu. Dès que le destinataire fonctionnera à nouveau, vous pourrez renvoyer tout ce qui a échoué.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Voir le point de terminaison" : "Voir les envois"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}\u00a0: désactivé le ${since}`
          : `Webhook ${name}\u00a0: en échec depuis le ${since}`,
    },
    it: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook disattivato: ${address}` : `Webhook non riuscito: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled
          ? "Un endpoint webhook è stato disattivato"
          : "Un endpoint webhook non risponde correttamente",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `Il destinatario non accetta più invii, quindi ${name} è stato disattivato. Momento della disattivazione: ${since}.`,
              `Motivo: ${reason}`,
              "Nessun evento è andato perso. Ciò che è in attesa verrà inviato appena l’endpoint sarà riattivato.",
            ]
          : [
              `Gli invii a ${name} non riescono. Primo errore: ${since}.`,
              `Ultimo motivo: ${reason}`,
              "Nessun evento è andato perso. Quando il destinatario funzionerà di nuovo, sarà possibile inviare di nuovo tutto ciò che non è arrivato.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Vedi l’endpoint" : "Vedi gli invii"),
      item: ({ name, since, is_disabled }) =>
        is_disabled ? `Webhook ${name}: disattivato, ${since}` : `Webhook ${name}: errori, il primo ${since}`,
    },
    ja: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhookの無効化：${address}` : `Webhookの配信失敗：${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "Webhookのエンドポイントが無効になりました" : "Webhookの配信に失敗しています",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `受信側が配信を受け付けなくなったため、${since}に${name}を無効にしました。`,
              `原因：${reason}`,
              "イベントは失われていません。エンドポイントを再び有効にすると、待機中の分がすぐに送信されます。",
            ]
          : [
              `${since}以降、${name}への配信に失敗しています。`,
              `直近の原因：${reason}`,
              "イベントは失われていません。受信側が復旧しましたら、失敗した分をすべて再送できます。",
            ],
      action: ({ is_disabled }) => (is_disabled ? "エンドポイントを見る" : "配信履歴を見る"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}：${since}に無効になりました`
          : `Webhook ${name}：${since}から配信に失敗しています`,
    },
    nl: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook uitgeschakeld: ${address}` : `Webhook werkt niet: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "Een webhook-endpoint is uitgeschakeld" : "Een webhook-endpoint werkt niet",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `De ontvanger neemt niets meer aan. Daarom is ${name} uitgeschakeld op ${since}.`,
              `Reden: ${reason}`,
              "Er is geen gebeurtenis verloren gegaan. Wat nog wacht, wordt verstuurd zodra je het endpoint weer inschakelt.",
            ]
          : [
              `Leveringen aan ${name} mislukken sinds ${since}.`,
              `Laatste reden: ${reason}`,
              "Er is geen gebeurtenis verloren gegaan. Zodra de ontvanger weer werkt, kun je alles wat is mislukt opnieuw versturen.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Endpoint bekijken" : "Leveringen bekijken"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}: uitgeschakeld op ${since}`
          : `Webhook ${name}: werkt niet sinds ${since}`,
    },
    pt: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook desativado: ${address}` : `Webhook com falha: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "Um endpoint de webhook foi desativado" : "Um endpoint de webhook está com falha",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `O destinatário não aceita mais entregas, por isso ${name} foi desativado em ${since}.`,
              `Motivo: ${reason}`,
              "Nenhum evento foi perdido. O que está aguardando será enviado assim que você reativar o endpoint.",
            ]
          : [
              `As entregas para ${name} estão falhando desde ${since}.`,
              `Motivo mais recente: ${reason}`,
              "Nenhum evento foi perdido. Quando o destinatário voltar a funcionar, você poderá reenviar tudo o que falhou.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Ver o endpoint" : "Ver as entregas"),
      item: ({ name, since, is_disabled }) =>
        is_disabled ? `Webhook ${name}: desativado em ${since}` : `Webhook ${name}: com falha desde ${since}`,
    },
    ru: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Вебхук отключён: ${address}` : `Сбой вебхука: ${address}`,
      heading: ({ is_disabled }) => (is_disabled ? "Вебхук отключён" : "Вебхук не доставляется"),
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `Получатель больше не принимает события, поэтому вебхук ${name} отключён. Время отключения: ${since}.`,
              `Причина: ${reason}`,
              "Ни одно событие не потеряно. Всё, что ожидает отправки, будет отправлено, как только вы снова включите вебхук.",
            ]
          : [
              `События на ${name} не доставляются. Первая ошибка: ${since}.`,
              `Последняя причина: ${reason}`,
              "Ни одно событие не потеряно. Когда получатель снова заработает, вы сможете отправить всё недоставленное ещё раз.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Открыть вебхук" : "Посмотреть доставки"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Вебхук ${name}: отключён ${since}`
          : `Вебхук ${name}: не доставляется, первая ошибка ${since}`,
    },
    sv: {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook inaktiverad: ${address}` : `Webhook fungerar inte: ${address}`,
      heading: ({ is_disabled }) =>
        is_disabled ? "En webhook-mottagare har inaktiverats" : "En webhook-mottagare fungerar inte",
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `Mottagaren tar inte längre emot något. Därför inaktiverades ${name} den ${since}.`,
              `Orsak: ${reason}`,
              "Ingen händelse har gått förlorad. Det som väntar skickas så snart du aktiverar mottagaren igen.",
            ]
          : [
              `Leveranser till ${name} har misslyckats sedan ${since}.`,
              `Senaste orsak: ${reason}`,
              "Ingen händelse har gått förlorad. När mottagaren fungerar igen kan du skicka allt som misslyckades på nytt.",
            ],
      action: ({ is_disabled }) => (is_disabled ? "Visa mottagaren" : "Visa leveranser"),
      item: ({ name, since, is_disabled }) =>
        is_disabled
          ? `Webhook ${name}: inaktiverad den ${since}`
          : `Webhook ${name}: har inte fungerat sedan ${since}`,
    },
    "zh-CN": {
      subject: ({ address, is_disabled }) =>
        is_disabled ? `Webhook 已停用：${address}` : `Webhook 推送失败：${address}`,
      heading: ({ is_disabled }) => (is_disabled ? "有 Webhook 端点已停用" : "有 Webhook 端点推送失败"),
      paragraphs: ({ name, since, reason, is_disabled }) =>
        is_disabled
          ? [
              `接收端不再接受推送，因此 ${name} 已于 ${since} 停用。`,
              `原因：${reason}`,
              "没有丢失任何事件。重新启用该端点后，等待中的推送会立即发送。",
            ]
          : [
              `自 ${since} 起，发往 ${name} 的推送一直失败。`,
              `最近一次的原因：${reason}`,
              "没有丢失任何事件。接收端恢复后，您可以重新发送所有失败的推送。",
            ],
      action: ({ is_disabled }) => (is_disabled ? "查看端点" : "查看推送记录"),
      item: ({ name, since, is_disabled }) =>
        is_disabled ? `Webhook ${name}：已于 ${since} 停用` : `Webhook ${name}：自 ${since} 起推送失败`,
    },
  },
};
