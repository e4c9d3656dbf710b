/** docs/reference/token-states.md: the states of tokens, and all transitions. */
import type { TransitionRow } from '../../../packages/tokens/src/state-table.ts'

/** A state machine on the page. */
export interface Machine<State extends string> {
  readonly heading: string
  readonly introduction: string
  readonly states: Readonly<Record<State, string>>
  readonly table: readonly TransitionRow<State>[]
}

/** Returns the section of one machine. */
export function machineSection<State extends string>({
  heading,
  introduction,
  states,
  table,
}: Machine<State>): string {
  const meanings = Object.entries<string>(states).map(([state, meaning]) => `| \`${state}\` | ${meaning} |`)
  return [
    `## ${heading}`,
    '',
    introduction,
    '',
    '| State | Meaning |',
    '| --- | --- |',
    ...meanings,
    '',
    '| Event | Condition | From | To |',
    '| --- | --- | --- | --- |',
    ...table.map(({ on, when, from, to }) => {
      const after = to.length === 0 ? 'the same state' : names(to)
      return `| \`${on}\` | ${when ?? ''} | ${names(from)} | ${after} |`
    }),
  ].join('\n')
}

const names = (states: readonly string[]): string => states.map((state) => `\`${state}\``).join(', ')

/** Returns the page. */
export function statesPage(sections: readonly string[]): string {
  return [
    '<!-- Written by pnpm generate diagrams. Do not edit. -->',
    '',
    '# States of tokens',
    '',
    'The state machines of `@brokerwire/tokens`, from the tables that run. `ACCESS_TOKEN_TRANSITIONS` and `CLIENT_TOKEN_TRANSITIONS` are',
    'the same tables as data. If several rows of an event match, the first one applies. If no row matches, the event changes nothing.',
    '[Access tokens](../concepts/access-tokens.md) and [client tokens](../concepts/client-tokens.md) explain them.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n')
}
