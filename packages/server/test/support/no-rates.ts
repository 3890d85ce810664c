// Settings of a server under test: no rate that a fast test could run into.

export const noRates = {
  BOTEL_RATE_USER: '1000000',
  BOTEL_RATE_LIFECYCLE: '1000000',
  BOTEL_RATE_SIGN_IN: '1000000',
  BOTEL_RATE_PUBLIC: '1000000',
};
