import { describe, expect, test } from 'vitest'
import type { AbortSignalLike } from '../structural.ts'
import {
  abortable,
  abortReason,
  addAbortListener,
  createAbortController,
  createLinkedController,
  throwIfAborted,
} from './abort.ts'

const REASON = new Error('stopped by the caller')

/** A signal that counts its listeners. Its host supports no reasons. */
function bareSignal(aborted: boolean): AbortSignalLike & { listeners: number; fire(): void } {
  const target = new EventTarget()
  return {
    aborted,
    listeners: 0,
    addEventListener(type, listener, options) {
      this.listeners += 1
      target.addEventListener(type, listener, options ?? {})
    },
    removeEventListener(type, listener) {
      this.listeners -= 1
      target.removeEventListener(type, listener)
    },
    fire: () => target.dispatchEvent(new Event('abort')),
  }
}

describe('throwIfAborted', () => {
  test('does nothing without a signal or before an abort', () => {
    expect(() => throwIfAborted(undefined)).not.toThrow()
    expect(() => throwIfAborted(new AbortController().signal)).not.toThrow()
  })

  test("throws the signal's reason, of any type", () => {
    expect(() => throwIfAborted(AbortSignal.abort(REASON))).toThrow(REASON)
    expect(abortReason(AbortSignal.abort(null))).toBeNull()
  })

  test('throws an AbortError for a signal without a reason', () => {
    expect(() => throwIfAborted(bareSignal(true))).toThrow(
      expect.objectContaining({ name: 'AbortError', message: 'the operation was aborted' }),
    )
  })
})

describe('abortable', () => {
  test('returns the same promise if there is no signal', () => {
    const promise = Promise.resolve(1)
    expect(abortable(promise, undefined)).toBe(promise)
  })

  test('settles as the promise does, and removes its listener from the signal', async () => {
    const signal = bareSignal(false)
    expect(await abortable(Promise.resolve('value'), signal)).toBe('value')
    await expect(abortable(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
    expect(signal.listeners).toBe(0)
  })

  test('rejects at an abort if the promise never settles', async () => {
    const controller = new AbortController()
    const waiting = abortable(new Promise(() => {}), controller.signal)
    controller.abort(REASON)
    await expect(waiting).rejects.toBe(REASON)
  })

  test('an abort without a reason rejects with an AbortError', async () => {
    const signal = bareSignal(false)
    const waiting = abortable(new Promise(() => {}), signal)
    signal.fire()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('a late rejection after an abort is not reported as unhandled', async () => {
    const controller = new AbortController()
    controller.abort(REASON)
    let reject: (error: Error) => void = () => {}
    const late = new Promise<never>((_, rejectLate) => {
      reject = rejectLate
    })
    await expect(abortable(late, controller.signal)).rejects.toBe(REASON)
    reject(new Error('late'))
    await new Promise((resolve) => setTimeout(resolve, 0))
  })
})

describe('addAbortListener', () => {
  test('the signal gets one listener for many calls, and each callback is called once, in order', () => {
    const signal = bareSignal(false)
    const called: number[] = []
    const stops = [1, 2, 3, 3].map((n) => addAbortListener(signal, () => called.push(n)))
    expect(signal.listeners).toBe(1)
    stops[1]?.()
    stops[1]?.()
    signal.fire()
    signal.fire()
    expect(called).toEqual([1, 3, 3])
    for (const stop of stops) stop()
  })

  test('the listener is removed with the last callback, and added again with the next one', () => {
    const signal = bareSignal(false)
    const called: number[] = []
    const [first, second] = [1, 2].map((n) => addAbortListener(signal, () => called.push(n)))
    first?.()
    expect(signal.listeners).toBe(1)
    second?.()
    expect(signal.listeners).toBe(0)
    second?.()
    const third = addAbortListener(signal, () => called.push(3))
    first?.()
    expect(signal.listeners).toBe(1)
    signal.fire()
    expect(called).toEqual([3])
    third()
  })

  test('a listener that is added twice is called twice', () => {
    const controller = new AbortController()
    let calls = 0
    const listener = (): void => {
      calls += 1
    }
    addAbortListener(controller.signal, listener)
    addAbortListener(controller.signal, listener)
    controller.abort()
    expect(calls).toBe(2)
  })

  test('the callback is called at once if the signal has aborted', () => {
    let calls = 0
    addAbortListener(AbortSignal.abort(REASON), () => {
      calls += 1
    })()
    expect(calls).toBe(1)
  })
})

describe('createLinkedController', () => {
  test('aborts with the reason of the first parent that aborts', () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const { controller } = createLinkedController(one.signal, undefined, two.signal)
    expect(controller.signal.aborted).toBe(false)
    two.abort(REASON)
    one.abort(new Error('too late'))
    expect(controller.signal.reason).toBe(REASON)
  })

  test('is aborted at once by an aborted parent, and adds no listener to the others', () => {
    const other = bareSignal(false)
    const { controller } = createLinkedController(other, AbortSignal.abort(REASON), bareSignal(true))
    expect(controller.signal.aborted).toBe(true)
    expect(controller.signal.reason).toBe(REASON)
    expect(other.listeners).toBe(0)
  })

  test('abort() does not abort the parents', () => {
    const parent = new AbortController()
    createLinkedController(parent.signal).controller.abort(REASON)
    expect(parent.signal.aborted).toBe(false)
  })

  test('release() removes the listeners from the parents', () => {
    const parent = bareSignal(false)
    const { controller, release } = createLinkedController(parent)
    expect(parent.listeners).toBe(1)
    release()
    release()
    parent.fire()
    expect(parent.listeners).toBe(0)
    expect(controller.signal.aborted).toBe(false)
  })
})

describe('createAbortController', () => {
  test('aborts once, with its reason, and calls each listener once', () => {
    const { signal, abort } = createAbortController()
    const heard: unknown[] = []
    const [first, second] = [() => heard.push('first'), () => heard.push('second')]
    signal.addEventListener('abort', first)
    signal.addEventListener('abort', first)
    signal.addEventListener('abort', second)
    signal.removeEventListener('abort', second)
    expect([signal.aborted, signal.reason]).toEqual([false, undefined])
    abort('enough')
    abort('more')
    signal.addEventListener('abort', second)
    expect([signal.aborted, signal.reason, ...heard]).toEqual([true, 'enough', 'first'])
  })

  test('its signal can be a parent', async () => {
    const { signal, abort } = createAbortController()
    const linked = createLinkedController(signal)
    const waiting = abortable(new Promise(() => {}), signal)
    abort()
    expect(linked.controller.signal.aborted).toBe(true)
    await expect(waiting).rejects.toThrow('aborted')
    expect(abortReason(signal)).toMatchObject({ name: 'AbortError' })
  })
})
