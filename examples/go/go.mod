module bellhop

go 1.24
