/** A meter that records the values that instruments receive. It needs no SDK, so it also runs in Workers. */
import { type Attributes, createNoopMeter, type Meter, type ObservableCallback } from '@opentelemetry/api'

/** A value that an instrument received. */
export interface Recorded {
  readonly value: number
  readonly attributes: Attributes
}

export function createRecordingMeter() {
  const values = new Map<string, Recorded[]>()
  const callbacks = new Map<string, ObservableCallback>()
  const recorded = (name: string): Recorded[] => values.get(name) ?? []
  const record =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void => {
      values.set(name, [...recorded(name), { value, attributes }])
    }
  const meter: Meter = Object.assign(createNoopMeter(), {
    createCounter: (name: string) => ({ add: record(name) }),
    createHistogram: (name: string) => ({ record: record(name) }),
    createObservableGauge: (name: string) => ({
      addCallback: (callback: ObservableCallback) => void callbacks.set(name, callback),
      removeCallback() {},
    }),
  })
  const observed = (name: string): Recorded[] => {
    const found: Recorded[] = []
    const observe = (value: number, attributes: Attributes = {}): void =>
      void found.push({ value, attributes })
    callbacks.get(name)?.({ observe })
    return found
  }
  return {
    meter,
    /** The values of a counter or a histogram. */
    recorded,
    /** The values of a gauge at this moment. */
    observed,
    /** The sorted names of the attributes that an instrument received; `undefined` if it received no value. */
    attributesOf(name: string): string[] | undefined {
      const values = [...recorded(name), ...observed(name)]
      if (values.length === 0) return undefined
      return [...new Set(values.flatMap(({ attributes }) => Object.keys(attributes)))].sort()
    },
  }
}
