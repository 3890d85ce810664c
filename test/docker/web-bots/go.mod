module webbot

go 1.24
