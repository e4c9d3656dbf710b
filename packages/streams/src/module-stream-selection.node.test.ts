/** The selection of event types and business types of module streams. */
import { ModuleMessageType } from '@brokerwire/protos'
import { describe, expect, test } from 'vitest'
import type { StreamsObserver } from './observer.ts'
import { isStreamsError } from './streams-error.ts'
import { moduleEvent, moduleFrame } from './test/frames.ts'
import {
  open,
  requestedPositions,
  stored,
  subscribed,
  useModuleServer,
} from './test/module-stream-fixture.ts'
import { take, takeLabels } from './test/take.ts'

useModuleServer()

describe('the selection of a module stream', () => {
  const funding = (n: number, bizType: string) => moduleEvent('FUNDING', n, bizType)

  test('filters other business types of a shared event type, and advances the cursor past them', async () => {
    const { stream, call } = await subscribed({ modules: ['fees-and-credits'] })
    expect(requestedPositions(call)).toEqual({ FUNDING: '' })
    call.send(
      funding(1, 'TRANSFER'),
      funding(2, 'FEE_DEDUCTION'),
      funding(3, 'TRANSFER'),
      funding(4, 'NEW_KIND'),
    )
    expect(await takeLabels(stream, 2)).toEqual(['id-2', 'id-4'])
    await stream.return()
    expect(stored('default', 'FUNDING')).toBe('p3')
  })

  test('a filtered event does not advance the cursor past an unacknowledged one', async () => {
    const { stream, call } = await subscribed({ modules: ['fees-and-credits'], ack: 'manual' })
    call.send(funding(1, 'FEE_DEDUCTION'), funding(2, 'TRANSFER'), funding(3, 'FEE_DEDUCTION'))
    await take(stream, 2)
    await stream.return()
    expect(stored('default', 'FUNDING')).toBeUndefined()
  })

  test.each([
    ['with 24 bytes for each UTF-16 unit that was parsed for the selection', 'funding', 24],
    ['without parsing, if every business type is selected', 'application', 0],
  ] as const)('counts the payloads in the queue %s', async (_, module, parsedUnitBytes) => {
    const events: { readonly bytes: number; readonly events: number; readonly queueDepth: number }[] = []
    const observer: StreamsObserver = { onStreamBatch: (batch) => void events.push(batch) }
    const buffer = { maxItems: 1000, maxBytes: 1 << 20 }
    const { stream, call } = await subscribed({ modules: [module] }, { observer, buffer })
    expect((await stream.next()).value).toMatchObject({ kind: 'gap', cause: 'before-subscription' })
    const eventType = module.toUpperCase()
    const payload = JSON.stringify({
      payload: { biz_type: 'TRANSFER', list: Array.from({ length: 2000 }, () => ({})) },
    })
    const sent = 40
    for (let n = 0; n < sent; n += 1)
      call.send(moduleFrame(ModuleMessageType.Event, { id: `id-${n + 100}`, eventType, payload }))
    const units = 'id-100'.length + eventType.length + payload.length
    const each = 512 + 2 * units + parsedUnitBytes * payload.length
    const most = Math.min(sent, Math.ceil((0.875 * buffer.maxBytes) / each))
    const deepest = () => Math.max(0, ...events.map(({ queueDepth }) => queueDepth))
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    while (deepest() < most) await turn()
    // The queue does not grow while the consumer does not read.
    for (let turns = 0; turns < 300; turns += 1) await turn()
    expect(deepest()).toBe(most)
    expect(await take(stream, sent)).toHaveLength(sent)
    expect(events.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sent * each)
    await stream.return()
  })

  test('delivers an event whose payload cannot be decoded', async () => {
    const { stream, call } = await subscribed({ modules: ['funding'] })
    call.send(moduleFrame(ModuleMessageType.Event, { id: 'x', eventType: 'FUNDING', payload: '{broken' }))
    const [item] = await take(stream, 1)
    expect(item).toMatchObject({ id: 'x', payload: '{broken', cursor: undefined })
    await stream.return()
  })

  test('subscribes to an event type of the caller, and filters its business types', async () => {
    const { stream, call } = await subscribed({ modules: [{ eventType: 'SOD', bizTypes: ['DONE'] }] })
    expect(requestedPositions(call)).toEqual({ SOD: '' })
    call.send(moduleEvent('SOD', 1, 'OTHER'), moduleEvent('SOD', 2, 'DONE'))
    expect(await takeLabels(stream, 1)).toEqual(['id-2'])
    await stream.return()
  })

  test.each([
    ['two entries with business types', [{ bizTypes: ['A'] }, { bizTypes: ['B'] }], ['id-1', 'id-2']],
    ['an entry without business types last', [{ bizTypes: ['A'] }, {}], ['id-1', 'id-2', 'id-3']],
    ['an entry without business types first', [{}, { bizTypes: ['A'] }], ['id-1', 'id-2', 'id-3']],
  ])('merges %s for the same event type', async (_, entries, ids) => {
    const modules = entries.map((entry) => ({ eventType: 'X', ...entry }))
    const { stream, call } = await subscribed({ modules })
    expect(requestedPositions(call)).toEqual({ X: '' })
    call.send(...['A', 'B', 'C'].map((bizType, index) => moduleEvent('X', index + 1, bizType)))
    expect(await takeLabels(stream, ids.length)).toEqual(ids)
    await stream.return()
  })

  test('an entry adds business types to those of a named module', async () => {
    const modules = ['fees-and-credits', { eventType: 'FUNDING', bizTypes: ['TRANSFER'] }]
    const { stream, call } = await subscribed({ modules })
    const types = ['TRANSFER', 'FEE_DEDUCTION', 'NEW_KIND']
    call.send(...types.map((bizType, index) => funding(index + 1, bizType)))
    expect(await takeLabels(stream, 3)).toEqual(['id-1', 'id-2', 'id-3'])
    await stream.return()
  })

  test('delivers a message with an unknown type', async () => {
    const { stream, call } = await subscribed()
    call.send(moduleFrame(9, { id: 'odd', payload: 'text' }))
    expect(await take(stream, 1)).toMatchObject([{ kind: 'unknown', messageType: 9, id: 'odd' }])
    await stream.return()
  })

  test.each([
    ['modules', { modules: [] }],
    ['modules[0]', { modules: ['nonsense'] }],
    ['modules[0]', { modules: ['sod'] }],
    ['modules[0]', { modules: ['constructor'] }],
    ['modules[0].eventType', { modules: [{ eventType: '' }] }],
    ['modules[0].bizTypes', { modules: [{ eventType: 'A', bizTypes: 'B' }] }],
    ['modules[0].bizTypes', { modules: [{ eventType: 'A', bizTypes: [] }] }],
    ['ack', { ack: 'never' }],
    ['from', { from: 'yesterday' }],
    ['from.FUNDING', { from: { FUNDING: 'p' } }],
    ['from.APPLICATION', { from: { APPLICATION: '' } }],
    ['consumer', { consumer: '' }],
    ['maxUnacked', { maxUnacked: 0 }],
    ['timestamp', { timestamp: 'now' }],
  ])('rejects an invalid %s and names the option', (option, options) => {
    const error: unknown = (() => {
      try {
        return open(options as never)
      } catch (cause) {
        return cause
      }
    })()
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw error
    expect(error.details.option).toBe(option)
  })
})
