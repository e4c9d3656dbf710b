import { describe, expect, it } from 'vitest'
import { createReporter, observer } from './observer.ts'
import { optionMessage } from './options/failure.ts'

interface Observer {
  readonly onOpen?: ((report: { readonly id: string; readonly port: number }) => void) | undefined
  readonly onClose?: ((report: { readonly id: string }) => void) | undefined
}

const schema = observer<Observer>({ onOpen: true, onClose: true })
const fail = (option: string, expected: string, received: string): Error =>
  new Error(optionMessage(option, expected, received))
const read = (value: unknown): Observer => schema(value, 'observer', fail)

describe('observer', () => {
  it('ignores the functions of other packages, and reads each known one once', () => {
    let reads = 0
    const given = {
      onOther: 7,
      get onOpen() {
        reads += 1
        return () => {}
      },
    }
    const { onOpen, onClose, ...rest } = read(given)
    onOpen?.({ id: 'a', port: 1 })
    expect(reads).toBe(1)
    expect(onClose).toBeUndefined()
    expect(rest).toEqual({})
  })

  it('binds the methods of an instance of a class', () => {
    class Counter {
      opened = 0
      onOpen(): void {
        this.opened += 1
      }
    }
    const counter = new Counter()
    read(counter).onOpen?.({ id: 'a', port: 1 })
    expect(counter.opened).toBe(1)
  })

  it('has no functions by default', () => {
    expect(read(undefined)).toEqual({ onOpen: undefined, onClose: undefined })
  })

  it.each([
    ['a string', 'secret', 'observer must be an object; received a string'],
    ['a function', () => {}, 'observer must be an object; received a function'],
    ['null', null, 'observer must be an object; received null'],
    ['a wrong function', { onOpen: 'secret' }, 'observer.onOpen must be a function; received a string'],
  ])('rejects %s', (_name, value, message) => {
    expect(() => read(value)).toThrow(message)
  })
})

describe('createReporter', () => {
  it('adds the properties of the source to each report', () => {
    const reports: unknown[] = []
    const report = createReporter(
      read({
        onOpen: (opened: unknown) => reports.push(opened),
        onClose: (closed: unknown) => reports.push(closed),
      }),
      { id: 'a' },
    )
    report('onOpen', { port: 1 })
    report('onClose', {})
    expect(reports).toEqual([{ id: 'a', port: 1 }, { id: 'a' }])
  })

  it('ignores an observer that throws, that rejects, and that has no such function', async () => {
    const report = createReporter(
      read({
        onOpen() {
          throw new Error('a bug')
        },
      }),
      { id: 'a' },
    )
    report('onOpen', { port: 1 })
    report('onClose', {})
    // An unhandled rejection would fail the run.
    createReporter(read({ onOpen: () => Promise.reject(new Error('a bug')) }), { id: 'a' })('onOpen', {
      port: 1,
    })
    await new Promise((resolve) => setTimeout(resolve, 0))
  })
})
