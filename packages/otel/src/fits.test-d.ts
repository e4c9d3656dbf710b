/** The observer fits the option of each package. */
import type { BrokerageObserver } from '@brokerwire/client'
import type { HttpClientOptions, HttpObserver } from '@brokerwire/http'
import type { QuotesObserver } from '@brokerwire/quotes'
import type { EventSink, RelayObserver, StreamMessage } from '@brokerwire/relay'
import type { StreamsObserver, StreamsOptions } from '@brokerwire/streams'
import type { TokensObserver } from '@brokerwire/tokens'
import type { Telemetry } from './index.ts'

declare const telemetry: Telemetry

telemetry.observer satisfies Required<HttpObserver>
telemetry.observer satisfies Required<StreamsObserver>
telemetry.observer satisfies Required<QuotesObserver>
telemetry.observer satisfies Required<Omit<TokensObserver, 'onTokenResponseIssue'>>
telemetry.observer satisfies Required<Omit<RelayObserver, 'onRelaySubscription' | 'onRelayConnectionWait'>>
telemetry.observer satisfies BrokerageObserver
telemetry.headers satisfies HttpClientOptions['headers']
telemetry.headers satisfies StreamsOptions['headers']

declare const sink: EventSink
declare const message: StreamMessage

telemetry.traceSink(sink) satisfies EventSink
telemetry.messageLinks(message.getHeader) satisfies readonly unknown[]
