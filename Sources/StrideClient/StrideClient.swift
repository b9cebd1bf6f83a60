// StrideClient
