/** Descriptions of the operations, for documents and help texts. */

/** A sentence by the name of each operation. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'config.get': 'Reads whether other requests need an access token.',
  'access-tokens.create': 'Creates an access token. In production a person must then enter a code.',
  'access-tokens.check': 'Reads the state of an access token.',
  'client-tokens.create': 'Creates the tokens of a customer. The earlier tokens of the customer end at once.',
  'client-tokens.refresh': 'Replaces the tokens of a customer. The earlier tokens end.',
  'accounts.list': 'Lists the accounts.',
  'accounts.balance': 'Reads the balance of an account.',
  'accounts.positions': 'Lists the positions of an account.',
  'orders.preview': 'Estimates the cost of orders, without an effect.',
  'orders.place': 'Places an order, or a group of orders that belong together.',
  'orders.batch-place': 'Places several independent orders; each is accepted or rejected alone.',
  'orders.replace': 'Changes open orders.',
  'orders.cancel': 'Cancels an open order.',
  'orders.get': 'Reads an order.',
  'orders.open': 'Lists the open orders of an account.',
  'orders.history': 'Lists the orders of an account in all statuses, the newest first.',
  'stocks.profiles': 'Lists profiles of stocks.',
  'stocks.snapshots': 'Reads the current prices of symbols.',
  'stocks.bars': 'Reads bars of symbols.',
  'stocks.depth': 'Reads the order book of a symbol.',
  'stocks.ticks': 'Reads the latest trades of a symbol.',
}
