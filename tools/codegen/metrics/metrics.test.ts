/** Metrics that both `brokerwire relay` and `@brokerwire/otel` export. */
import { expect, test } from 'vitest'
import { ATTRIBUTES, joinMetrics } from './metrics.ts'

const both = joinMetrics().flatMap(({ name, relay, otel }) =>
  relay === undefined || otel === undefined ? [] : [{ name, relay, otel }],
)

test('many metrics have the same name in both', () => {
  expect(both.length).toBeGreaterThan(12)
})

test.each(both)('$name has the same kind, meaning, buckets and labels in both', ({ relay, otel }) => {
  expect(relay.type).toBe(otel.kind)
  expect(relay.help).toBe(otel.description)
  expect(relay.buckets).toEqual(otel.boundaries)
  const labels = otel.attributes.flatMap((attribute) => ATTRIBUTES[attribute]?.labels ?? [attribute])
  expect(new Set(relay.labels)).toEqual(new Set(labels))
})

test('every attribute is explained, and nothing else', () => {
  const used = new Set(joinMetrics().flatMap(({ otel }) => otel?.attributes ?? []))
  expect(new Set(Object.keys(ATTRIBUTES))).toEqual(used)
})
