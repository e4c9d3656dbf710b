import { expect, test } from 'vitest'
import { createRelayLog } from './log.ts'
import { createLogObserver } from './log-observer.ts'

test.each([
  ['that another relay released', 'relay-2', true, 'released'],
  ['whose relay was lost', 'relay-2', false, 'lost'],
  ['without a writer', undefined, true, 'released'],
])(
  'a takeover of a stream %s is a line with the previous relay',
  (_, previousRelay, isReleased, previous) => {
    const lines: string[] = []
    const log = createRelayLog(
      (line) => lines.push(line),
      () => 0,
    )
    createLogObserver(log).onRelayTakeover?.({ app: 'team-a', previousRelay, isReleased })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: '1970-01-01T00:00:00.000Z',
        event: 'app.takeover',
        msg: 'the relay has become the writer of the stream',
        app: 'team-a',
        previous,
        ...(previousRelay !== undefined && { previousRelay }),
      },
    ])
  },
)
