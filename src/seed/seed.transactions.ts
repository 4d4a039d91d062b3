export const seedTransactions = [];
