/** The option `onTokenRejected`, after an AuthError for a subscription with an access token. */
import { expect, test } from 'vitest'
import { noticesOf, outcomeOf, type TestMachine, testMachine } from '../test/machine.ts'

/** A machine whose first attempt had a token and got an AuthError. */
function rejected(onTokenRejected?: 'fail' | 'without-token'): TestMachine {
  const machine = testMachine({ onTokenRejected })
  machine.send({ type: 'start' })
  machine.send({ type: 'sent', tokenSent: true, cursorSent: false })
  machine.send({ type: 'frame', frame: 'auth-error' })
  return machine
}

/** Makes the next attempt. @returns The effects of its AuthError. */
function rejectAgain(machine: TestMachine, tokenSent: boolean) {
  machine.send({ type: 'timer', timer: 'retry' })
  machine.send({ type: 'sent', tokenSent, cursorSent: false })
  return machine.send({ type: 'frame', frame: 'auth-error' })
}

test('"without-token" makes one attempt without the token at once', () => {
  const machine = rejected('without-token')
  const effects = machine.send({ type: 'recovered', retry: false })
  expect(effects).toContainEqual({ type: 'withhold-token' })
  expect(noticesOf(effects)).toMatchObject([
    { kind: 'access-token-missing', cause: 'rejected' },
    { kind: 'reconnecting', reason: 'auth-error', delayMs: 0 },
  ])
  expect(outcomeOf(rejectAgain(machine, false))).toMatchObject({ kind: 'auth-rejected', tokenSent: true })
})

test('"without-token" sends the same token once more if the clock was wrong, then none', () => {
  const machine = rejected('without-token')
  expect(noticesOf(machine.send({ type: 'recovered', retry: true }))).toMatchObject([
    { kind: 'reconnecting' },
  ])
  expect(rejectAgain(machine, true)).toContainEqual({ type: 'withhold-token' })
  expect(outcomeOf(rejectAgain(machine, false))).toMatchObject({ kind: 'auth-rejected' })
})

test('"without-token" ends the stream if another token is rejected as well', () => {
  const machine = rejected('without-token')
  machine.send({ type: 'recovered', retry: false })
  expect(outcomeOf(rejectAgain(machine, true))).toMatchObject({ kind: 'auth-rejected', tokenSent: true })
})

test.each([['fail'], [undefined]] as const)('"%s" makes no attempt without the token', (onTokenRejected) => {
  const effects = rejected(onTokenRejected).send({ type: 'recovered', retry: false })
  expect(outcomeOf(effects)).toMatchObject({ kind: 'auth-rejected', tokenSent: true })
  expect(noticesOf(effects)).toEqual([])
})
