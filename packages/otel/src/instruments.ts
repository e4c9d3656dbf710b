/** Creates the instruments of the table, and gauges that are read when metrics are collected. */
import type { Attributes, Counter, Histogram, Meter, ObservableGauge } from '@opentelemetry/api'
import { METRICS, type Metric } from './metrics.ts'

type Instrument<Kind extends Metric['kind']> = {
  readonly counter: Counter
  readonly histogram: Histogram
  readonly gauge: ObservableGauge
}[Kind]

/** The instruments of {@link METRICS}, by the same names. */
export type Instruments = {
  readonly [Name in keyof typeof METRICS]: Instrument<(typeof METRICS)[Name]['kind']>
}

/** Creates all instruments. */
export function createInstruments(meter: Meter): Instruments {
  const create = ({ kind, name, unit, description, boundaries }: Metric): Instrument<Metric['kind']> => {
    if (kind === 'counter') return meter.createCounter(name, { unit, description })
    if (kind === 'gauge') return meter.createObservableGauge(name, { unit, description })
    const advice = { explicitBucketBoundaries: [...(boundaries ?? [])] }
    return meter.createHistogram(name, { unit, description, advice })
  }
  return Object.fromEntries(
    Object.entries(METRICS).map(([name, metric]) => [name, create(metric)]),
  ) as unknown as Instruments
}

/** The values of a gauge, by source. The SDK repeats the last value of a source that is removed, so none is: its value becomes 0. */
export class GaugeValues {
  readonly #values = new Map<string, readonly [value: () => number, attributes: Attributes]>()

  constructor(gauge: ObservableGauge) {
    gauge.addCallback((result) => {
      for (const [value, attributes] of this.#values.values()) result.observe(value(), attributes)
    })
  }

  /** Sets the value of a source. */
  set(source: string, attributes: Attributes, value: () => number): void {
    this.#values.set(source, [value, attributes])
  }
}

/** The states of a gauge: one series for each state that a source has had, 1 for the current one and 0 for the others. */
export class GaugeStates {
  readonly #current = new Map<string, string>()
  readonly #values: GaugeValues

  constructor(gauge: ObservableGauge) {
    this.#values = new GaugeValues(gauge)
  }

  /** Sets the state of a source. */
  set(source: string, attributes: Attributes, state: string): void {
    this.#current.set(source, state)
    const isCurrent = (): number => (this.#current.get(source) === state ? 1 : 0)
    this.#values.set(`${state} ${source}`, { ...attributes, 'brokerwire.state': state }, isCurrent)
  }
}
