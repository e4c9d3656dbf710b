/** Metrics as tables: the names, types and labels from which the exporters and docs/reference/metrics.md are made. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** One metric. Its labels never contain an account, an app key, an order id or a path. */
export interface MetricDefinition {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  /** The meaning, as a sentence without its full stop. */
  readonly help: string
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
}

/** Definitions by the key that the code uses. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>

type LabelsOf<D extends MetricDefinition> = D['labels'][number]
type MetricOf<D extends MetricDefinition> = D['type'] extends 'counter'
  ? Counter<LabelsOf<D>>
  : D['type'] extends 'gauge'
    ? Gauge<LabelsOf<D>>
    : Histogram<LabelsOf<D>>

/** The metrics of a table in a registry. */
export interface MetricSet<T extends MetricTable> {
  readonly registry: Registry
  readonly metrics: { readonly [K in keyof T]: MetricOf<T[K]> }
}

/** Creates the metrics of a table, without values, in a new registry. */
export function createMetricSet<const T extends MetricTable>(table: T): MetricSet<T> {
  const registry = new Registry()
  const metrics = Object.fromEntries(
    Object.entries(table).map(([key, definition]) => [key, createMetric(definition, registry)]),
  )
  return { registry, metrics: metrics as MetricSet<T>['metrics'] }
}

function createMetric({ name, type, labels, help, buckets = [] }: MetricDefinition, registry: Registry) {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (type === 'counter') return new Counter(options)
  if (type === 'gauge') return new Gauge(options)
  return new Histogram({ ...options, buckets: [...buckets] })
}
