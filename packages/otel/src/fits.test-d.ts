/** The observer fits the option of each package. */
import type { BrokerageObserver } from '@brokerwire/client'
import type { HttpClientOptions, HttpObserver } from '@brokerwire/http'
import type { StreamsObserver, StreamsOptions } from '@brokerwire/streams'
import type { Telemetry } from './index.ts'

declare const telemetry: Telemetry

telemetry.observer satisfies Required<HttpObserver>
telemetry.observer satisfies Required<StreamsObserver>
telemetry.observer satisfies BrokerageObserver
telemetry.headers satisfies HttpClientOptions['headers']
telemetry.headers satisfies StreamsOptions['headers']
