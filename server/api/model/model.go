package model

//go:generate oapi-codegen -config config.yaml ../openapi.yaml
