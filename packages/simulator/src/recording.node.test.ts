/** Recordings: the parser reports line and field of errors, and the replay sends the recorded frames. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { openModuleStream, openTradeStream, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import { readRecording, replaySteps, startSimulator } from './index.ts'

const trade = {
  stream: 'trade',
  type: 'event',
  kind: 'order',
  receivedAtMs: 1_700_000_000_000,
  frame: {
    eventType: 1024,
    subscribeType: 1,
    contentType: 'application/json',
    requestId: 'R1',
    timestamp: '1700000000001',
    unknownFields: [],
  },
  decoded: null,
  payload: '{"account_id": "ACCOUNT-ONE", "amount": 1.10}',
}
const module = {
  stream: 'module',
  type: 'event',
  kind: 'module',
  receivedAtMs: 1_700_000_002_000,
  frame: {
    messageType: 2,
    id: 'event_1',
    eventType: 'FUNDING',
    position: 'P-1',
    timestamp: '2026-01-02T03:04:05.000000001Z',
    version: '1.0',
    unknownFields: [],
  },
  decoded: null,
  payload: '{"id":"event_1","payload":{"a":1.0}}',
}
const notice = { stream: 'trade', type: 'notice', kind: 'subscribed', atMs: 1 }
const gap = {
  stream: 'trade',
  type: 'notice',
  kind: 'gap',
  atMs: 1,
  cause: 'before-subscription',
  fromMs: 0,
  toMs: 1,
}
const text = (...lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

describe('a recording', () => {
  it('may start with a byte order mark: its first line used to be rejected as invalid JSON', () => {
    const plain = text(notice, trade)
    expect(readRecording(`\uFEFF${plain.replaceAll('\n', '\r\n')}`)).toEqual(readRecording(plain))
  })

  it('is replayed with its payloads, ids, cursors and times, at the recorded intervals', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock, accounts: ['MINE', 'OTHER'] })
    const second = {
      ...trade,
      receivedAtMs: trade.receivedAtMs + 500,
      payload: '{"account_id":"ACCOUNT-TWO"}',
    }
    const recording = readRecording(text(notice, gap, trade, second, module))
    expect({ notices: recording.notices, accounts: recording.accounts }).toEqual({
      notices: 2,
      accounts: ['ACCOUNT-ONE', 'ACCOUNT-TWO'],
    })
    const run = sim.startScenario(replaySteps(recording, { speed: 2, accounts: sim.accounts }))
    await sim.advance(0)
    const count = (): number[] => [sim.tradeEvents().length, sim.moduleEvents().length]
    expect(count()).toEqual([1, 0])
    await sim.advance(249)
    expect(count()).toEqual([1, 0])
    await sim.advance(1)
    expect(count()).toEqual([2, 0])
    await sim.advance(750)
    expect({ count: count(), done: await run.done }).toEqual({ count: [2, 1], done: { ok: true } })
    expect(
      sim
        .tradeEvents()
        .map(({ accountId, payload, requestId, timestampMs }) => [
          accountId,
          payload,
          requestId,
          timestampMs,
        ]),
    ).toEqual([
      ['MINE', trade.payload, 'R1', 1_700_000_000_001],
      ['OTHER', second.payload, 'R1', 1_700_000_000_001],
    ])
    const { id, eventType, position, timestamp, version } = module.frame
    expect(sim.moduleEvents()).toMatchObject([
      { id, eventType, position, timestamp, version, payload: module.payload },
    ])
  })

  it('is sent to clients as frames with the recorded fields, and its cursors are accepted', async () => {
    await using sim = await startSimulator()
    const trades = await openTradeStream(sim)
    // SubscribeSuccess.
    await take(trades, 1)
    const later = { ...module, frame: { ...module.frame, id: 'event_2', position: 'P-2' } }
    const { done } = sim.startScenario(
      replaySteps(readRecording(text(trade, module, later)), { speed: 'max' }),
    )
    expect(await done).toEqual({ ok: true })
    const [frame] = await take(trades, 1)
    expect(frame).toMatchObject({ requestId: 'R1', timestamp: 1_700_000_000_001n, payload: trade.payload })
    const modules = await openModuleStream(sim, { events: [{ eventType: 'FUNDING', position: 'P-1' }] })
    const [, next] = await take(modules, 2)
    expect(next).toMatchObject({ id: 'event_2', position: 'P-2', payload: module.payload })
    trades.abort.abort()
    modules.abort.abort()
  })

  it('is replayed without waiting at the speed max', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const far = { ...module, receivedAtMs: module.receivedAtMs + 86_400_000 }
    const run = sim.startScenario(replaySteps(readRecording(text(trade, far)), { speed: 'max' }))
    await sim.advance(0)
    expect({ done: await run.done, moduleEventsCount: sim.moduleEvents().length }).toEqual({
      done: { ok: true },
      moduleEventsCount: 1,
    })
  })

  it.each([
    ['{', 1, '', 'must be a JSON object'],
    [`${text(trade)}[]`, 2, '', 'must be a JSON object; received an empty array'],
    [`${text(trade)}\n`, 2, '', 'must be a JSON object'],
    [
      text({ ...trade, stream: 'trades' }),
      1,
      'stream',
      "one of 'trade', 'position', 'account', 'module'; received \"trades\"",
    ],
    [
      text(trade, { ...trade, type: 'evnt' }),
      2,
      'type',
      "one of 'event', 'undecodable', 'notice'; received \"evnt\"",
    ],
    [text({ ...trade, kind: 7 }), 1, 'kind', 'received 7'],
    [text({ ...trade, receivedAtMs: -1 }), 1, 'receivedAtMs', 'a whole number from 0'],
    [text({ ...trade, frame: undefined }), 1, 'frame', 'an object; received undefined'],
    [text({ ...trade, frame: { ...trade.frame, eventType: 'x' } }), 1, 'frame.eventType', 'a whole number'],
    [text({ ...trade, frame: { ...trade.frame, timestamp: 'soon' } }), 1, 'frame.timestamp', 'milliseconds'],
    [
      text({ ...trade, frame: { ...trade.frame, timestamp: '8640000000000001' } }),
      1,
      'frame.timestamp',
      'at most 8640000000000000',
    ],
    [
      text(trade, { ...module, frame: { ...module.frame, eventType: '' } }),
      2,
      'frame.eventType',
      'a non-empty string',
    ],
    [text({ ...module, payload: {} }), 1, 'payload', 'a string; received an object'],
  ])('that is invalid is rejected with line and field: %s', (broken, line, field, problem) => {
    const read = (): unknown => readRecording(broken, 'morning.jsonl')
    expect(read).toThrow(
      expect.objectContaining({
        code: 'SIMULATOR_RECORDING_INVALID',
        details: expect.objectContaining({ file: 'morning.jsonl', line, field }),
      }),
    )
    expect(read).toThrow(problem)
    expect(read).toThrow(`morning.jsonl, line ${line}: `)
  })

  it.each([
    [{ speed: 0 }, "speed must be a number from 0.001 to 1000000, or 'max'; received 0"],
    [{ speed: Number.NaN }, 'received NaN'],
    [{ sped: 1 }, 'Did you mean "speed"?'],
    [{ accounts: 'A' }, 'accounts must be an array of strings'],
  ])('is rejected by replaySteps() with the options %j', (options, message) => {
    expect(() => replaySteps(readRecording(text(trade)), options as never)).toThrow(message)
  })
})
